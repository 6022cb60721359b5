"""How a thread or a process of Linux locks itself up; standard library only, so that workers load little."""
