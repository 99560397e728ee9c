/** Gives the commands of features what they use of the program; each part is loaded when it is used. */
import { UserError } from '../errors.ts';
import { loadFeatures } from '../features.ts';
import { say } from '../messages/messages.ts';
import type { CliContext, CliServices, CliTable, RunningGateway } from '../runtime/contract/cli.ts';
import { UNCOUNTED } from '../runtime/contract/spending.ts';
import { versionOf } from './version.ts';

const NO_COMMANDS: CliTable = { commands: {}, common: {}, optionsOf: () => ({}) };

export const servicesFor = (context: CliContext, table = NO_COMMANDS): CliServices => ({
  table,
  get version() {
    return versionOf();
  },
  gateway: () => runningOn(context),
  jobFiles: async (at) => (await loadFeatures()).find(({ jobFiles }) => jobFiles)?.jobFiles?.(at),
  async changeSettings(settings, secrets = {}) {
    const { Settings } = await import('./setup/settings.ts');
    const all = new Settings(context);
    const removed = settings.filter(({ value }) => value === undefined);
    const gone = await Promise.all(removed.map(({ path }) => all.removal(path)));
    await all.save({ settings, secrets: Object.assign({}, ...gone.map((each) => each.secrets), secrets) });
    return all.file();
  },
  at: async (config) => (await import('../runtime/features.ts')).homeAt(await loadFeatures(), config, context.home),
  async spending(at) {
    const features = await loadFeatures();
    const told = { ...at, tellOwners: () => undefined };
    return features.find((feature) => feature.spending)?.spending?.(told) ?? UNCOUNTED;
  },
  async names(vibers, config) {
    const [features, { offeredNames, homeAt }] = await Promise.all([loadFeatures(), import('../runtime/features.ts')]);
    return offeredNames(features, vibers, homeAt(features, config, context.home));
  },
});

async function runningOn(context: CliContext): Promise<RunningGateway | undefined> {
  const { sendAndWait: ask, findSocket } = await import('./ask.ts');
  const socket = await findSocket(context);
  if (socket === undefined) return undefined;
  const { runningGateways } = await import('./running.ts');
  const port = (await runningGateways(context)).find((one) => one.port !== undefined)?.port;
  return {
    port,
    ask: async (chat, text) => (await ask(socket, { chat, text }, () => undefined)).text,
    async request(name, asked) {
      const [{ post }, { text }] = await Promise.all([import('./ask.ts'), import('node:stream/consumers')]);
      const response = await post(socket, `/${name}`, asked);
      const body = await text(response);
      if (response.statusCode !== 200) throw new UserError(body || say('cli.gatewayLacks', { name }));
      return JSON.parse(body) as object;
    },
    plain: async (answer) => (await import('../channels/terminal/render.ts')).plainText(answer),
  };
}
