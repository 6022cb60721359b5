// Something that says when it has changed: to each watcher once a frame at most.

export class Watched {
  #watchers = new Set();
  #due = false;

  /** Calls `fn` after changes; gives the function that ends it. */
  watch(fn) {
    this.#watchers.add(fn);
    return () => this.#watchers.delete(fn);
  }

  changed() {
    if (this.#due) return;
    this.#due = true;
    const tell = () => {
      if (!this.#due) return;
      this.#due = false;
      for (const fn of [...this.#watchers]) fn();
    };
    // A page that nobody sees draws no frames, and is to be right all the same.
    if (document.visibilityState === "visible") requestAnimationFrame(tell);
    setTimeout(tell, 60);
  }
}
