// The one door: every operation by name, every refusal as a value.
const operations = { ...reading, ...acting, observe, outline, waiting };
const run = async (name, wanted) => {
  try {
    return await operations[name](wanted);
  } catch (error) {
    if (error instanceof Entering)
      return { __enter: hold(error.enter.frame), rest: error.enter.rest };
    if (error instanceof Refusal) return { __refused: error.kind, message: error.message };
    return { __refused: "broken", message: String(error?.message ?? error) };
  }
};
globalThis[DOOR] = {
  run,
  element: (number) => heldElement(number),
  fromFrame,
  adopt: (host, root) => closedRoots.set(host, root),
  size: () => all(document, "*").length,
};
