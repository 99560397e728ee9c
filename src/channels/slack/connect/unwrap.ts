/** CommonJS modules of TypeScript's making have two defaults; Node gives the outer one, bundlers and test runners the inner one. */
export function unwrap<T extends object>(module: T | { default: T }): T {
  return 'default' in module ? module.default : module;
}
