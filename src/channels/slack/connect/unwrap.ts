/**
 * Returns a CommonJS module's real default. Modules compiled from TypeScript have two; Node returns the outer one,
 * bundlers and test runners the inner one.
 */
export function unwrap<T extends object>(module: T | { default: T }): T {
  return 'default' in module ? module.default : module;
}
