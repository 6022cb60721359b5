"""Worker processes for model-written code: the JavaScript isolate and the Python worker.

Refuses: to run model-written code inside our own process.
"""
