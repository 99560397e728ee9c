/** A date by another clock. Code that stored `Date.now` before keeps the original. */
export const shiftedDate = (now: () => number): DateConstructor =>
  new Proxy(Date, {
    construct: (target, given, made) => Reflect.construct(target, given.length === 0 ? [now()] : given, made),
    apply: (target) => new target(now()).toString(),
    get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
  });
