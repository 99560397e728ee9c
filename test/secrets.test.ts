// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is the syntax under test
/** What is secret in a configuration: one rule, tried on what people really write into theirs. */
import { describe, expect, it } from 'vitest';
import { withoutSecrets } from '../src/cli/backup/without-secrets.ts';
import { isSecretName } from '../src/config/secret-names.ts';
import { masked } from '../src/config/secrets.ts';
import { configOf } from '../src/config.ts';
import { scrub } from '../src/log.ts';

const M = '[secret]';

/** A server with the words of all given lines as its arguments. */
const argumentsOf = (...lines: [given: string, shown: string][]): [given: object, shown: object] => [
  { command: 'x', args: lines.flatMap(([given]) => given.split(' ')) },
  { command: 'x', args: lines.flatMap(([, shown]) => shown.split(' ')) },
];

/** Settings, and how they may be shown. */
const SERVERS: Record<string, [given: object, shown: object]> = {
  'GitHub in a container': [
    {
      command: 'docker',
      args: [
        'run',
        '-i',
        '--rm',
        '-e',
        'GITHUB_TOOLSETS=repos',
        '-e',
        'GITHUB_PERSONAL_ACCESS_TOKEN=ghp-quoted-9',
        'ghcr.io/github/github-mcp-server',
      ],
    },
    {
      command: 'docker',
      args: [
        'run',
        '-i',
        '--rm',
        '-e',
        `GITHUB_TOOLSETS=${M}`,
        '-e',
        `GITHUB_PERSONAL_ACCESS_TOKEN=${M}`,
        'ghcr.io/github/github-mcp-server',
      ],
    },
  ],
  'variables, whatever they are called': [
    {
      command: 'npx',
      args: ['-y', '@x/server@2025.4.8'],
      env: { FOO: 'plain-value', NODE_ENV: 'production', DATABASE_URL: 'postgres://h/db', PIN: 1234 },
    },
    { command: 'npx', args: ['-y', '@x/server@2025.4.8'], env: { FOO: M, NODE_ENV: M, DATABASE_URL: M, PIN: M } },
  ],
  'a database as an argument': [
    {
      command: 'npx',
      args: [
        '-y',
        '@modelcontextprotocol/server-postgres',
        'postgresql://alex:p%40ss%3Aword@db.example.com:5432/shop?sslmode=require&password=other',
      ],
    },
    {
      command: 'npx',
      args: [
        '-y',
        '@modelcontextprotocol/server-postgres',
        `postgresql://${M}:${M}@db.example.com:5432/shop?sslmode=${M}&password=${M}`,
      ],
    },
  ],
  'options with their values': [
    {
      command: 'mcp',
      args: [
        '--api-key',
        'abc',
        '--token=def',
        '--port',
        '8080',
        '-k',
        'ghi',
        '--clientSecret',
        'jkl',
        '--verbose',
        'API_KEY=mno',
        '--key-file',
        '/etc/k.pem',
      ],
    },
    {
      command: 'mcp',
      args: [
        '--api-key',
        M,
        `--token=${M}`,
        '--port',
        '8080',
        '-k',
        M,
        '--clientSecret',
        M,
        '--verbose',
        `API_KEY=${M}`,
        '--key-file',
        '/etc/k.pem',
      ],
    },
  ],
  'headers behind a bridge': [
    {
      command: 'npx',
      args: [
        'mcp-remote',
        'https://mcp.example.com/sse',
        '--header',
        'Authorization: Bearer abc.def',
        '--header',
        'X-Team:red',
        '--header',
        'Accept: text/plain',
      ],
    },
    {
      command: 'npx',
      args: [
        'mcp-remote',
        'https://mcp.example.com/sse',
        '--header',
        `Authorization: Bearer ${M}`,
        '--header',
        `X-Team:${M}`,
        '--header',
        'Accept: text/plain',
      ],
    },
  ],
  'a line for a shell': [
    {
      command: 'bash',
      args: [
        '-c',
        'OPENAI_KEY="a b" node server.js --password hunter2 --name alex; curl -H "Authorization: Bearer zzz" https://h/',
      ],
    },
    {
      command: 'bash',
      args: [
        '-c',
        `OPENAI_KEY="${M}" node server.js --password ${M} --name alex; curl -H "Authorization: Bearer ${M}" https://h/`,
      ],
    },
  ],
  'options that have their value in the same argument': [
    {
      command: 'mcp',
      args: [
        ...[
          '--header=Authorization: Bearer abc',
          '--header=Accept: text/plain',
          '-HX-Team: red',
          '--user=alex:hunter2',
        ],
        ...[
          '-ualex:hunter2',
          '--env=FOO=plain',
          '-eFOO=plain',
          '--proxy-user',
          'alex:hunter2',
          '--mode=fast',
          '-extra=1',
        ],
      ],
    },
    {
      command: 'mcp',
      args: [
        ...[`--header=Authorization: Bearer ${M}`, '--header=Accept: text/plain', `-HX-Team: ${M}`, `--user=alex:${M}`],
        ...[`-ualex:${M}`, `--env=FOO=${M}`, `-eFOO=${M}`, '--proxy-user', `alex:${M}`, '--mode=fast', '-extra=1'],
      ],
    },
  ],
  'a line for a shell, whatever stands before the option': [
    {
      command: 'sh',
      args: [
        '-c',
        "export MY_TOKEN=one; tool --token 'two'; docker run -e FOO=three image:1 serve --port 8080; curl -u me:four -H 'X-Team: five' x; run --set TOKEN=six",
      ],
    },
    {
      command: 'sh',
      args: [
        '-c',
        `export MY_TOKEN=${M}; tool --token '${M}'; docker run -e FOO=${M} image:1 serve --port 8080; curl -u me:${M} -H 'X-Team: ${M}' x; run --set TOKEN=${M}`,
      ],
    },
  ],
  'a command with its options in one text': [
    { command: 'tool --token hunter2 --port 80', args: [] },
    { command: `tool --token ${M} --port 80`, args: [] },
  ],
  'a login without a scheme': [
    {
      command: 'x',
      args: [
        ...['alex:hunter2@tcp(db:3306)/shop', 'alex:hunter2@db.example.com:5432/shop', '//alex:hunter2@db/shop'],
        ...[
          'image:1.2@sha256:9f86d081',
          'npm:pkg@1.2.3',
          'git@github.com:a/b.git',
          '//db/shop',
          'http://localhost:8080',
        ],
      ],
    },
    {
      command: 'x',
      args: [
        ...[`alex:${M}@tcp(db:3306)/shop`, `alex:${M}@db.example.com:5432/shop`, `//${M}:${M}@db/shop`],
        ...[
          'image:1.2@sha256:9f86d081',
          'npm:pkg@1.2.3',
          'git@github.com:a/b.git',
          '//db/shop',
          'http://localhost:8080',
        ],
      ],
    },
  ],
  'JSON in an argument': [
    { command: 'x', args: ['--config', '{"apiKey": "k1", "region":"eu", "auth_token":"k2"}'] },
    { command: 'x', args: ['--config', `{"apiKey": "${M}", "region":"eu", "auth_token":"${M}"}`] },
  ],
  'JSON with variables and headers in an argument': [
    {
      command: 'x',
      args: [
        '{"mcpServers": {"a": {"env": {"FOO": "v1", "N": 12}, "headers": {"X-Any": "Bearer v2", "Accept": "text/plain"}, "args": ["--token", "v3", "-v"]}}, "pin": 4321, "otp":"v4", "region": "eu"}',
        '--config={"environment":{"FOO":"a\\"b"},"extraHeaders":{"X-Team":"red"}}',
        '{"sessions": 4, "pinned": true, "port": 8080}',
      ],
    },
    {
      command: 'x',
      args: [
        `{"mcpServers": {"a": {"env": {"FOO": "${M}", "N": ${M}}, "headers": {"X-Any": "Bearer ${M}", "Accept": "text/plain"}, "args": ["--token", "${M}", "-v"]}}, "pin": ${M}, "otp":"${M}", "region": "eu"}`,
        `--config={"environment":{"FOO":"${M}"},"extraHeaders":{"X-Team":"${M}"}}`,
        '{"sessions": 4, "pinned": true, "port": 8080}',
      ],
    },
  ],
  'short options with a value right behind them': [
    {
      command: 'mysql',
      args: ['-uroot', '-phunter2', '-pS3cret!', '-psecret', '-kAbc123', '-P', 'zipword', '-P', '3306'],
    },
    { command: 'mysql', args: ['-uroot', `-p${M}`, `-p${M}`, `-p${M}`, `-k${M}`, '-P', M, '-P', '3306'] },
  ],
  'short options that say nothing secret': [
    {
      command: 'x',
      args: [
        '-p8080',
        '-p8080:80',
        '-p127.0.0.1:8080:80',
        '-path',
        '-print0',
        '-project=a',
        '-prod',
        '-port',
        '80',
        '-pv',
      ],
    },
    {
      command: 'x',
      args: [
        '-p8080',
        '-p8080:80',
        '-p127.0.0.1:8080:80',
        '-path',
        '-print0',
        '-project=a',
        '-prod',
        '-port',
        '80',
        '-pv',
      ],
    },
  ],
  'names without a sign before their value': [
    {
      command: 'x',
      args: [
        'config',
        'set',
        'api_key',
        'v1',
        'accessToken',
        'v2',
        'DB_PASSWORD',
        'v3',
        'token',
        'v4',
        'auth',
        'login',
        'token',
        'create',
      ],
    },
    {
      command: 'x',
      args: [
        'config',
        'set',
        'api_key',
        M,
        'accessToken',
        M,
        'DB_PASSWORD',
        M,
        'token',
        M,
        'auth',
        'login',
        'token',
        'create',
      ],
    },
  ],
  'a pin, a code, a session': [
    {
      command: 'x',
      args: [
        '--pin',
        '1234',
        '--otp=987654',
        '--session',
        'abc',
        '--session-id',
        'def',
        '--login-otp',
        '55',
        'PIN=77',
        '--sessions',
        '4',
        '--session-timeout',
        '5',
      ],
    },
    {
      command: 'x',
      args: [
        '--pin',
        M,
        `--otp=${M}`,
        '--session',
        M,
        '--session-id',
        M,
        '--login-otp',
        M,
        `PIN=${M}`,
        '--sessions',
        '4',
        '--session-timeout',
        '5',
      ],
    },
  ],
  'all these in a line for a shell': [
    {
      command: 'sh',
      args: ['-c', `mysql -uroot -phunter2 && tool --pin 1234 'api_key' v1 --config '{"env":{"A":"v2"}}'`],
    },
    {
      command: 'sh',
      args: ['-c', `mysql -uroot -p${M} && tool --pin ${M} 'api_key' ${M} --config '{"env":{"A":"${M}"}}'`],
    },
  ],
  'a connection string': [
    { command: 'x', args: ['Server=db;User Id=alex;Password=hunter2;Database=shop'] },
    { command: 'x', args: [`Server=db;User Id=alex;Password=${M};Database=shop`] },
  ],
  'a key that stands alone': [
    { command: 'x', args: ['9f8a7b6c5d4e3f2a1b0c', 'a-server-of-the-year-2024-11-05', 'modelContextProtocolServer'] },
    { command: 'x', args: [M, 'a-server-of-the-year-2024-11-05', 'modelContextProtocolServer'] },
  ],
  'a name and a password': [
    { command: 'curl', args: ['-u', 'alex:hunter2', '-p', '8080:80'] },
    { command: 'curl', args: ['-u', `alex:${M}`, '-p', '8080:80'] },
  ],
  'an address with a key in its query': [
    {
      url: 'https://mcp.tavily.com/mcp/?tavilyApiKey=tvly-dev-123&x=1',
      headers: { 'X-Any': 'v', 'Content-Type': 'application/json' },
    },
    {
      url: `https://mcp.tavily.com/mcp/?tavilyApiKey=${M}&x=${M}`,
      headers: { 'X-Any': M, 'Content-Type': 'application/json' },
    },
  ],
  'an address with a key in its path': [
    { url: 'https://mcp.zapier.com/api/mcp/s/OGQ4ZDkxYTktZjRk/mcp', headers: { Authorization: 'Bearer abc' } },
    { url: `https://mcp.zapier.com/api/mcp/s/${M}/mcp`, headers: { Authorization: `Bearer ${M}` } },
  ],
  'an address with somebody in it': [
    { url: 'https://glpat-key@mcp.example.com/v1/tools#token=abc' },
    { url: `https://${M}@mcp.example.com/v1/tools#token=${M}` },
  ],
  'variables and headers whose value is an argument of its own': argumentsOf(
    ['mcp add a --env FOO hunter2 -- npx y', `mcp add a --env FOO ${M} -- npx y`],
    ['mcp add b -e PIN 4321 --env-var BAR hunter2', `mcp add b -e PIN ${M} --env-var BAR ${M}`],
    ['env set FOO hunter2 --define BAR hunter2', `env set FOO ${M} --define BAR ${M}`],
    ['--header Accept text/plain --env production serve', `--header ${M} text/plain --env production serve`],
    ['--header X-Team red -e FOO -e BAR --port 80', `--header ${M} ${M} -e FOO -e BAR --port 80`],
  ),
  'variables that a container is only handed on': argumentsOf(
    ['run -i -e GITHUB_TOKEN ghcr.io/a/b:1', 'run -i -e GITHUB_TOKEN ghcr.io/a/b:1'],
    ['docker run --env FOO -e BAR mcp/fetch', 'docker run --env FOO -e BAR mcp/fetch'],
    ['run --env API_KEY hunter2', `run --env API_KEY ${M}`],
  ),
  'variables of all kinds in a line and in JSON': [
    { command: 'sh', args: ['-c', 'mcp add a --env FOO hunter2', '{"args":["-e","FOO","hunter2"]}'] },
    { command: 'sh', args: ['-c', `mcp add a --env FOO ${M}`, `{"args":["-e","FOO","${M}"]}`] },
  ],
  'options of other programs': argumentsOf(
    ['/p:hunter2', `/p:${M}`],
    ['/password:hunter2', `/password:${M}`],
    ['/token hunter2', `/token ${M}`],
    ['--githubtoken hunter2', `--githubtoken ${M}`],
    ['--openaikey=hunter2', `--openaikey=${M}`],
    ['--license hunter2', `--license ${M}`],
    ['--licence-no=hunter2', `--licence-no=${M}`],
    ['--recovery-code hunter2', `--recovery-code ${M}`],
    ['--tokens hunter2', `--tokens ${M}`],
    ['--passwort hunter2', `--passwort ${M}`],
    ['--api-schlüssel=hunter2', `--api-schlüssel=${M}`],
    ['-p=hunter2', `-p=${M}`],
    ['--max-tokens 4096 --monkey a --hotkey=b', '--max-tokens 4096 --monkey a --hotkey=b'],
  ),
  'logins after every option that takes one': argumentsOf(
    ...['--basic', '--login', '--digest', '--account', '--username', '--ntlm', '--proxy-login', '-U', '--dsn-user'].map(
      (option): [string, string] => [`${option} alex:hunter2`, `${option} alex:${M}`],
    ),
    ['--basic=alex:hunter2', `--basic=alex:${M}`],
    ['--creds alex:hunter2', `--creds ${M}`],
    ['--connect scott/hunter2@ORCL', `--connect scott/${M}`],
    ['--user 1000:1000 --account org/team', '--user 1000:1000 --account org/team'],
  ),
  'what looks like a key after any option': argumentsOf(
    ['-t Ab3dEf9hIj2kLm', `-t ${M}`],
    ['-tAb3dEf9hIj2kLm', `-t${M}`],
    ['--any=Ab3dEf9hIj2kLm', `--any=${M}`],
    ['-s wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY', `-s ${M}`],
    [
      '-t stdio -m claude-sonnet-4-20250514 -d northwind2024 -f src/myBigButton2/ofTheYear2024/index',
      '-t stdio -m claude-sonnet-4-20250514 -d northwind2024 -f src/myBigButton2/ofTheYear2024/index',
    ],
  ),
  'variables and headers by other names': argumentsOf(
    ['FOO=hunter2 npx', `FOO=${M} npx`],
    ['--environment FOO=hunter2', `--environment FOO=${M}`],
    ['--env-var FOO=hunter2', `--env-var FOO=${M}`],
    ['--env FOO:hunter2', `--env FOO:${M}`],
    ['--env.FOO=hunter2', `--env.FOO=${M}`],
    ['--env {"FOO":"hunter2"}', `--env {"FOO":"${M}"}`],
    ['--extra-header X-Team:hunter2', `--extra-header X-Team:${M}`],
    ['--headers {"X-Team":"hunter2","Accept":"text/plain"}', `--headers {"X-Team":"${M}","Accept":"text/plain"}`],
    ['--header.X-Team hunter2', `--header.X-Team ${M}`],
    ['-Dany.name=hunter2', `-Dany.name=${M}`],
  ),
  'addresses in other forms': argumentsOf(
    ['jdbc:mysql://alex:hunter2@db/shop', `jdbc:mysql://${M}:${M}@db/shop`],
    ['jdbc:oracle:thin:scott/hunter2@//db:1521/x', `jdbc:oracle:thin:scott/${M}@//db:1521/x`],
    ['alex:hunter2@localhost/shop', `alex:${M}@localhost/shop`],
    ['postgres://alex:a/hunter2@db/shop', `postgres://${M}:${M}@db/shop`],
    ['https://h:8080/@scope/x', 'https://h:8080/@scope/x'],
    ['https://h/mcp/token/hunter2/x', `https://h/mcp/token/${M}/x`],
    ['https://h/oauth/token/refresh', 'https://h/oauth/token/refresh'],
    ['h.example.com/mcp?k=hunter2', `h.example.com/mcp?k=${M}`],
  ),
  'numbers that an option makes secret, and settings with spaces': [
    { command: 'x', args: ['--pin', 12345678, '--port', 8080, 'Password = hunter2', '<password>hunter2</password>'] },
    { command: 'x', args: ['--pin', M, '--port', 8080, `Password = ${M}`, `<password>${M}</password>`] },
  ],
  'a line within a line': [
    { command: 'sh', args: ['-c', `bash -c 'FOO=one x --token "two"'; x --password $(echo three) --basic me:four`] },
    { command: 'sh', args: ['-c', `bash -c 'FOO=${M} x --token "${M}"'; x --password ${M} --basic me:${M}`] },
  ],
  'nothing secret': [
    {
      command: '/usr/bin/node',
      args: ['dist/main.js', '--max-tokens', '500', '--root', '/srv/alex/notes', '--region=eu-central-1', '-p', '8080'],
      tools: ['read_key', 'list'],
      trusted: true,
    },
    {
      command: '/usr/bin/node',
      args: ['dist/main.js', '--max-tokens', '500', '--root', '/srv/alex/notes', '--region=eu-central-1', '-p', '8080'],
      tools: ['read_key', 'list'],
      trusted: true,
    },
  ],
};

describe('servers of tools', () => {
  it.each(Object.entries(SERVERS))('%s', (_name, [given, shown]) => {
    expect(masked({ mcp: { one: given, env: given, headers: given } })).toEqual({
      mcp: { one: shown, env: shown, headers: shown },
    });
  });
});

it.each<[string, object, object]>([
  [
    'a provider',
    { providers: { local: { baseURL: 'http://u:pw@h:1/v1?key=k', apiKey: 'a', headers: { X: 'b' } } } },
    { providers: { local: { baseURL: `http://${M}:${M}@h:1/v1?key=${M}`, apiKey: M, headers: { X: M } } } },
  ],
  [
    'a server of an engine',
    { engine: { url: 'rediss://:pw@h:1/0', prefix: 'x' } },
    { engine: { url: M, prefix: 'x' } },
  ],
  [
    'a skill',
    { skills: { env: { deploy: { HOST: 'h', TOKEN: 't' } }, timeout: 60 } },
    { skills: { env: { deploy: { HOST: M, TOKEN: M } }, timeout: 60 } },
  ],
  [
    'a channel',
    { channels: { telegram: { token: '1:a', apiRoot: 'http://h/bot', webhook: { url: 'https://h/t', secret: 's' } } } },
    { channels: { telegram: { token: M, apiRoot: 'http://h/bot', webhook: { url: 'https://h/t', secret: M } } } },
  ],
  [
    'a webhook of Slack',
    { search: { url: 'https://hooks.slack.com/services/T0ABC/B0DEF/x9Yk2LmN4pQr7StUvWxYz123' } },
    { search: { url: `https://hooks.slack.com/services/T0ABC/B0DEF/${M}` } },
  ],
  [
    'Telegram’s address',
    { search: { url: 'https://api.telegram.org/bot123456789:AAEmulatedBotTokenOfSomeLength01/getMe' } },
    { search: { url: `https://api.telegram.org/${M}/getMe` } },
  ],
  [
    'a program that hears',
    { voice: { command: ['whisper', '--api-key', 'k', '-m', '/models/ggml-base.bin'] } },
    { voice: { command: ['whisper', '--api-key', M, '-m', '/models/ggml-base.bin'] } },
  ],
  [
    'programs',
    { http: { port: 6009, token: 'a', clients: { desk: { token: 'b', role: 'member' } } } },
    { http: { port: 6009, token: M, clients: { desk: { token: M, role: 'member' } } } },
  ],
  [
    'telemetry',
    { telemetry: { endpoint: 'https://h/otlp', headers: { 'x-team': 'k' } } },
    { telemetry: { endpoint: 'https://h/otlp', headers: { 'x-team': M } } },
  ],
  [
    'all else',
    { model: 'openai/gpt-5-mini', limits: { tokensPerDay: 5 }, people: [{ name: 'alex', ids: ['telegram:1001'] }] },
    { model: 'openai/gpt-5-mini', limits: { tokensPerDay: 5 }, people: [{ name: 'alex', ids: ['telegram:1001'] }] },
  ],
])('%s', (_name, given, shown) => expect(masked(given)).toEqual(shown));

it.each([
  ...[
    'token',
    'apiKey',
    'API_KEY',
    '--api-key',
    'X-Api-Key',
    'clientSecret',
    'DB_PASSWORD',
    'authToken',
    'signingSecret',
  ].map((name) => [name, true] as const),
  ...['max_tokens', 'tokensPerDay', 'keyboard', 'monkey', 'key-file', 'TOKEN_URL', 'author', 'passenger'].map(
    (name) => [name, false] as const,
  ),
])('%s: %s', (name, is) => expect(isSecretName(name)).toBe(is));

it('hides the same in the log and the chats, but no words that anybody may say', async () => {
  const text = `
mcp:
  db:
    command: npx
    args: [--api-key, arg-value-1, "postgres://alexander:pass%2Fword@db/shop?opt=query-value-1"]
    env: { FOO: env-value-1, NODE_ENV: production, HOME: /srv/alex, PORT: "8080", SERVICE: "https://h/v1?id=env-query-1" }
  web: { url: "https://h/k/9f8a7b6c5d4e3f2a/sse?\${NAME}=in-the-query", headers: { X-Any: "Bearer header-value-1" } }
`;
  await configOf(text, 'config.yaml', { NAME: 'k' });
  const said =
    'arg-value-1 pass/word pass%2Fword query-value-1 env-value-1 9f8a7b6c5d4e3f2a in-the-query header-value-1';
  expect(scrub(said)).toBe(said.replace(/\S+/g, M));
  const plain = 'in production /srv/alex listens on 8080 at db with https://h/ and Bearer';
  expect(scrub(plain)).toBe(plain);
});

it('leaves nothing of a secret that begins as another does', async () => {
  await configOf('mcp: { a: { command: x, env: { A: shared-start, B: shared-start-and-more } } }', 'config.yaml', {});
  expect(scrub('shared-start-and-more shared-start')).toBe(`${M} ${M}`);
});

describe('a configuration with names in place of secrets', () => {
  it.each<[string, string, string]>([
    ['a token', 'http: { token: abc } # abc', 'http: { token: "${HTTP_TOKEN}" } # abc'],
    [
      'the name that is known already',
      'channels: { slack: { botToken: xoxb-1 } }',
      'channels: { slack: { botToken: "${SLACK_BOT_TOKEN}" } }',
    ],
    ['a reference', 'http: { token: "${MINE}" }', 'http: { token: "${MINE}" }'],
    ['a default', 'http: { token: "${MINE:-abc}" }', 'http: { token: "${MINE}" }'],
    [
      'a reference beside words',
      'mcp: { a: { headers: { Authorization: "Bearer ${T}" } } }',
      'mcp: { a: { headers: { Authorization: "Bearer ${T}" } } }',
    ],
    [
      'half a reference',
      'mcp: { a: { url: "https://u:${P}@h/?k=v" } }',
      'mcp: { a: { url: "https://${MCP_A_URL}:${P}@h/?k=${MCP_A_URL_K}" } }',
    ],
    [
      'variables',
      'mcp:\n  a:\n    env:\n      FOO: |\n        two\n        lines\n      BAR: 12 # why\n',
      'mcp:\n  a:\n    env:\n      FOO: "${FOO}"\n      BAR: "${BAR}" # why\n',
    ],
    [
      'variables of one name',
      'mcp: { a: { env: { A: "1" } }, b: { env: { A: "2" } } }',
      'mcp: { a: { env: { A: "${A}" } }, b: { env: { A: "${MCP_B_ENV_A}" } } }',
    ],
    [
      'what is named elsewhere',
      'x: &x { FOO: a }\nmcp: { a: { env: *x }, b: { env: { <<: *x } } }',
      'x: &x { FOO: "${FOO}" }\nmcp: { a: { env: *x }, b: { env: { <<: *x } } }',
    ],
    [
      'an argument',
      'mcp: { a: { args: [--api-key, abc, -e, TOKEN=def] } }',
      'mcp: { a: { args: [--api-key, "${MCP_A_ARGS_API_KEY}", -e, "TOKEN=${TOKEN}"] } }',
    ],
    [
      'arguments that are numbers, and logins',
      'mcp: { a: { args: [--pin, 12345678, --port, 8080, --basic, "alex:hunter2"] } }',
      'mcp: { a: { args: [--pin, "${MCP_A_ARGS_PIN}", --port, 8080, --basic, "alex:${MCP_A_ARGS_BASIC}"] } }',
    ],
    ['JSON', '{"http":{"token":"a\\"b"}}', '{"http":{"token":"${HTTP_TOKEN}"}}'],
    [
      'comments',
      '# token: abc\n# DB_URL=xyz\n# nothing\nhttp: { token: long-secret-1 } # was long-secret-1',
      '# token: [secret]\n# DB_URL=[secret]\n# nothing\nhttp: { token: "${HTTP_TOKEN}" } # was [secret]',
    ],
    [
      'a secret that stands twice',
      'http: { token: long-secret-2 }\nmodel: x/long-secret-2',
      'http: { token: "${HTTP_TOKEN}" }\nmodel: "x/${HTTP_TOKEN}"',
    ],
  ])('%s', async (_name, given, clean) => expect((await withoutSecrets(given, 'config.yaml')).text).toBe(clean));

  it('says which variables it asks for', async () => {
    const given =
      '  # key: "${IN_A_COMMENT}"\nhttp: { token: abc }\nmodel: "${MODEL}"\nlog: { level: "${LEVEL:-info}" }';
    expect((await withoutSecrets(given, 'config.yaml')).variables).toEqual(['HTTP_TOKEN', 'MODEL']);
  });
});
