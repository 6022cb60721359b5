"""Lines of one file: as its bytes have them, where others stand among them, and two changes joined. Pure."""
