import { describe, expect, it } from 'vitest';
import { isIgnored, pairsOf, readDockerfile, type Step } from './dockerfile.ts';

describe('a Dockerfile', () => {
  it('is read as stages with steps, over continued lines and comments', () => {
    const [first, last] = readDockerfile(
      [
        '# A comment',
        'FROM node:24@sha256:00 AS base',
        'ARG DEBIAN=pinned',
        'RUN a \\',
        '  # between',
        '  && b',
        'FROM base',
        'ENV A=1 B="two words"',
        'COPY --from=base /x ./y ./',
        'VOLUME /data',
        'HEALTHCHECK --interval=3s CMD ["node", "-e", "1"]',
        'ENTRYPOINT ["viber"]',
        'CMD ["start"]',
      ].join('\n'),
    );
    expect(first).toMatchObject({ from: 'node:24@sha256:00', name: 'base' });
    expect(first?.steps.map(({ name, text }) => [name, text.replace(/\s+/g, ' ')])).toEqual([
      ['ARG', 'DEBIAN=pinned'],
      ['RUN', 'a && b'],
    ]);
    expect(last).toMatchObject({
      from: 'base',
      entrypoint: ['viber'],
      command: ['start'],
      health: ['node', '-e', '1'],
    });
    expect(last?.volumes).toEqual(['/data']);
    expect(pairsOf(last?.steps[0] as Step)).toEqual({ A: '1', B: 'two words' });
    expect(last?.steps[1]).toMatchObject({ from: 'base', words: ['/x', './y', './'] });
  });

  it.each(['RUN a', 'FROM a\nADD b c', 'FROM a\nCOPY --chown=x b c', 'FROM a\nCMD b'])('%j is refused', (text) => {
    expect(() => readDockerfile(text)).toThrow();
  });

  it('leaves out of the context what is ignored', () => {
    const patterns = ['.git', '*.log', 'docs'];
    const left = ['.git/config', 'x.log', 'docs/a.md', 'docs', 'src/x.log', 'docs2/a', '.gitignore'];
    expect(left.filter((file) => !isIgnored(file, patterns))).toEqual(['src/x.log', 'docs2/a', '.gitignore']);
  });
});
