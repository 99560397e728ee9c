/**
 * Runs before every test file: sets up an environment in which no test can depend on this machine. No home, no settings
 * of git, npm or the desktop, and nothing that would switch a channel or a model on.
 */
const OURS = /^(OPENVIBER_|TELEGRAM_|DISCORD_|SLACK_|VIBER_)|_API_KEY$/;
const OTHERS = /^(GIT_|XDG_|npm_)/i;

for (const name of Object.keys(process.env)) {
  if (OURS.test(name) || OTHERS.test(name)) Reflect.deleteProperty(process.env, name);
}
Object.assign(process.env, {
  // Nothing can be created below it, not even by root.
  HOME: '/dev/null/home',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
});
