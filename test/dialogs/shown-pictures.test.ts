/** Pictures that people send, from the platform to the model: what the bytes are, and what cannot be shown said in the chat. */
import { describe, expect, it } from 'vitest';
import { HEIC, JPEG, png } from '../helpers/made-pictures.ts';
import { onEveryPlatform, openChat } from '../kit/kit.ts';
import { waitFor } from '../platforms/platform.ts';

describe.each(onEveryPlatform)('on %s', (name) => {
  it('one that cannot be shown is named to the person, and the others and the next message go on', async () => {
    const { world, platform, dm } = await openChat({ channel: { live: 'off', injection: 'followup' } }, name);
    const { llm } = world;
    // A busy machine may take the second file for a message that follows.
    const types = () => {
      const bodies = JSON.stringify(llm.requests().map(({ body }) => body));
      return new Set([...bodies.matchAll(/data:(image\/[a-z]+);base64/g)].map(([, type]) => type));
    };
    llm.script(() => ({ text: 'I see.' }));
    const files = [
      { name: 'IMG_0001.jpg', bytes: HEIC, type: 'image/jpeg' },
      { name: 'shot.png', bytes: JPEG, type: 'image/png' },
    ];
    platform.say(dm, 'what is on these?', { files });
    const answer = await waitFor(platform, dm, { text: 'I see.' });
    expect(answer.text).toMatch(/couldn't look at .*: it is a HEIC file.*JPEG or PNG/s);
    await expect.poll(types).toEqual(new Set(['image/jpeg']));
    expect(JSON.stringify(llm.requests().map(({ body }) => body))).not.toContain(HEIC.toString('base64').slice(0, 40));
    const before = platform.answers(dm).length;
    platform.say(dm, 'and this?', { files: [{ name: 'next.png', bytes: png(2, 2), type: 'image/png' }] });
    const next = await waitFor(platform, dm, { after: before, text: 'I see.' });
    expect(next.text).not.toContain("couldn't look");
    expect(types()).toEqual(new Set(['image/jpeg', 'image/png']));
  });
});
