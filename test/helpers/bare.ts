/**
 * Before every file of tests: an environment in which none can lean on this machine. No home, no settings of git, npm or the desktop,
 * and nothing that would switch a channel or a model on.
 */
const OURS = /^(OPENVIBER_|TELEGRAM_|DISCORD_|SLACK_|VIBER_)|_API_KEY$/;
const OTHERS = /^(GIT_|XDG_|npm_)/i;

for (const name of Object.keys(process.env)) {
  if (OURS.test(name) || OTHERS.test(name)) Reflect.deleteProperty(process.env, name);
}
Object.assign(process.env, {
  // Nothing can be made below it, by root neither.
  HOME: '/dev/null/home',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
});
