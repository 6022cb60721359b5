// The names a person could list: what blocks declared or assigned, and what lies on env. The value of
// this file is a function of what the prelude has made, called before any other code runs.
(function (given) {
  "use strict";
  const { world, env, shapes, limits, add, cut, has, fresh } = given;
  const { apply, defineProperty, getOwnPropertyDescriptor, ownKeys } = Reflect;
  const { create } = Object;
  const { stringify } = JSON;
  const join = Array.prototype.join;
  const known = create(null);
  for (const name of ownKeys(world)) if (typeof name === "string") known[name] = true;

  const declared = create(null);
  const names = () => {
    const found = [];
    const all = ownKeys(world);
    for (let i = 0; i < all.length; i++) {
      const name = all[i];
      if (typeof name === "string" && (known[name] !== true || declared[name] === true)) {
        add(found, name);
      }
    }
    return found;
  };
  const every = (each) => {
    const top = names();
    for (let i = 0; i < top.length; i++) each(world, top[i], top[i]);
    const inner = ownKeys(env);
    for (let i = 0; i < inner.length; i++) {
      if (typeof inner[i] === "string") each(env, inner[i], "env." + inner[i]);
    }
  };
  const listedNames = () => {
    const found = [];
    every((_, key, name) => { add(found, stringify(name)); });
    return found;
  };
  const declare = (list) => {
    for (let i = 0; i < list.length; i++) {
      declared[list[i]] = true;
      if (!has(world, list[i])) defineProperty(world, list[i], fresh(undefined));
    }
  };
  const variables = (plain) => {
    const listed = [];
    const budget = shapes.budget();
    every((holder, key, name) => {
      if (listed.length >= limits.variables) return;
      const slot = getOwnPropertyDescriptor(holder, key);
      if (slot === undefined) return;
      const shape = shapes.ofSlot(slot, limits.variablePreview, budget, plain);
      add(listed, '{"name":' + stringify(cut(name, 0, 200)) + ',"shape":' + shape + "}");
    });
    return "[" + apply(join, listed, [","]) + "]";
  };
  return { every, listedNames, declare, variables };
})
