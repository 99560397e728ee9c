/** A chat in Spanish, on each platform: the first hello, questions answered in words, a reminder, and help. */
import { expect, it as test } from 'vitest';
import { ask, waitFor } from '../platforms/platform.ts';
import { openThree } from './three.ts';

/** Alex uses Telegram in Mexican Spanish, Discord in that of Latin America, Slack in that of Spain. */
async function openSpanish() {
  const opened = await openThree({ config: { jobs: { timezone: 'Europe/Madrid' } } });
  const { telegram, discord, slack } = opened;
  telegram.emulator.addUser({ id: 1001, first_name: 'Alex', language_code: 'es-mx' });
  discord.emulator.setLocale(discord.identity('alex').slice('discord:'.length), 'es-419');
  slack.emulator.users.alex.locale = 'es-ES';
  const platforms = [telegram, discord, slack];
  for (const platform of platforms)
    await expect
      .poll(async () => (await platform.command(platform.dm('alex'), 'stop')).text)
      .toContain('No hay nada que detener: aquí no estoy trabajando en nada.');
  return { ...opened, platforms };
}

test('help and what is typed wrong are told in Spanish', async () => {
  const { platforms } = await openSpanish();
  for (const platform of platforms) {
    const help = (await platform.command(platform.dm('alex'), 'help')).text;
    expect(help).toContain('Escríbeme como a alguien de tu equipo, y envíame archivos si ayudan.');
    expect(help).toContain('muestra todos los comandos.');
    expect(help).not.toMatch(/\b(?:shows|lists|Write to me|Kollegin)\b/);
  }
});

test('a question is asked in Spanish, and "sí, por favor" and "mejor no" answer it', async () => {
  const { world, platforms } = await openSpanish();
  const note = { path: 'workspace/notas.md', content: 'Leche' };
  world.llm.script(({ toolResults }) =>
    toolResults.length > 0 ? { text: 'Eso es todo.' } : { toolCalls: [{ name: 'write_file', arguments: note }] },
  );
  for (const platform of platforms) {
    const dm = platform.dm('alex');
    await platform.command(dm, 'new');
    const asked = await ask(platform, dm, 'Anota que falta leche', { text: /notas\.md/ });
    expect(asked.text.replaceAll('\\', '')).toContain('¿Guardo notas.md en tu espacio de trabajo?');
    expect(asked.buttons).toEqual(expect.arrayContaining(['Guardar', 'Siempre en esta tarea', 'No']));
    await ask(platform, dm, 'Sí, por favor', { text: 'Eso es todo.' });
    await platform.command(dm, 'new');
    await ask(platform, dm, 'Y que falta pan', { text: /notas\.md/ });
    await ask(platform, dm, 'mejor no', { text: 'Vale, no lo haré.' });
  }
  const kept = world.read('workspace/notas.md');
  expect(kept).toBe('Leche');
});

test('a reminder for every Monday at 9 is confirmed, listed and explained in Spanish', async () => {
  const { world, telegram } = await openSpanish();
  const dm = telegram.dm('alex');
  const job = { name: 'Basura', schedule: 'every monday at 9', prompt: 'Recuérdame sacar la basura' };
  world.llm.script(({ toolResults }) =>
    toolResults.length > 0 ? { text: 'Listo.' } : { toolCalls: [{ name: 'create_scheduled_job', arguments: job }] },
  );
  const { text, buttons } = await ask(telegram, dm, 'recuérdame sacar la basura cada lunes a las 9', {
    text: 'basura',
  });
  expect(buttons).toEqual(['Sí', 'A otra hora', 'No']);
  expect(text).toContain(
    '¿Hago esto cada lunes a las 09:00 (hora de Madrid), hasta que lo pares: Recuérdame sacar la basura?',
  );
  expect(text).toContain('el resultado va a esta conversación. Las próximas veces (Europe/Madrid):');
  expect(text).toMatch(/lun\p{L}*, \d+ (?:de )?\p{L}+ (?:de )?\d{4} a las 09:00\n/u);
  const after = telegram.answers(dm).length;
  telegram.say(dm, 'vale');
  await waitFor(telegram, dm, { after, text: 'Listo.' });
  const jobs = (await telegram.command(dm, 'jobs')).text.replaceAll('\\', '');
  expect(jobs).toContain('Basura');
  expect(jobs).toContain('cada lunes a las 09:00');
  expect(jobs).not.toMatch(/every|Monday|next/);
});
