/** Builds the file for the machine's supervisor: a systemd user unit or a launchd agent. Pure functions. */
import path from 'node:path';
import { UserError } from '../../errors.ts';
import { commandForAnyone } from '../../lib/invocation.ts';
import { say } from '../../messages/messages.ts';

export interface ServiceFacts {
  /** Absolute, as all paths here: a supervisor doesn't have the shell's PATH. */
  node: string;
  /** The entry file of this program. */
  program: string;
  home: string;
  config: string | undefined;
  /** Lines of NAME=value, read at each start; optional. */
  envFile: string;
  /** launchd's log file; systemd uses its journal. */
  logFile: string;
}

export const UNIT_NAME = 'openviber-gateway.service';
export const AGENT_LABEL = 'org.openviber.gateway';

/** Returns the PATH for programs that skills and MCP servers start: Node's folder and the usual ones. */
const pathVariable = ({ node }: ServiceFacts, more: readonly string[] = []): string =>
  [...new Set([path.dirname(node), ...more, '/usr/local/bin', '/usr/bin', '/bin'])].join(':');

function argumentsOf({ node, program, home, config }: ServiceFacts): string[] {
  return [node, program, 'start', '--home', home, ...(config === undefined ? [] : ['--config', config])];
}

/** A line break would end the setting and begin another. */
function checked(text: string): string {
  if (/\p{Cc}/u.test(text)) throw new UserError(say('service.controlCharacter', { path: JSON.stringify(text) }));
  return text;
}

/** Escapes a path that is a setting's whole value for systemd: % begins a specifier, spaces are literal. */
const escapeValue = (text: string) => checked(text).replaceAll('%', '%%');
/** Escapes one word of a command for systemd, including quotes, backslashes and variables. */
const word = (text: string) =>
  `"${escapeValue(text).replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('$', '$$$$')}"`;

/**
 * Builds the user unit. The sandbox for skill scripts needs namespaces, mounts and an untouched /proc, so settings that
 * restrict them (RestrictNamespaces, ProtectSystem, ProtectKernelTunables, SystemCallFilter) must not be added.
 */
export function unitText(facts: ServiceFacts): string {
  return `# Written by "${commandForAnyone('service install')}"; "${commandForAnyone('service uninstall')}" removes it.
# Home: ${checked(facts.home)}
[Unit]
Description=OpenViber gateway
StartLimitIntervalSec=0

[Service]
ExecStart=${argumentsOf(facts).map(word).join(' ')}
EnvironmentFile=-${escapeValue(facts.envFile)}
Environment=${word(`PATH=${pathVariable(facts)}`).replaceAll('$$', '$')}
WorkingDirectory=${escapeValue(facts.home)}
Restart=always
RestartSec=5
# A wrong configuration and a home that another gateway holds are for a person to fix.
RestartPreventExitStatus=2 3
# The gateway ends its own runs; what is left of them is ended after it.
KillMode=mixed
TimeoutStopSec=30
UMask=0077
LimitNOFILE=4096
NoNewPrivileges=yes
LockPersonality=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes

[Install]
WantedBy=default.target
`;
}

const xml = (text: string) =>
  checked(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** Builds the user agent. launchd reads no file of variables, so Node does. */
export function agentText(facts: ServiceFacts): string {
  const [node = '', ...rest] = argumentsOf(facts);
  const words = [node, `--env-file-if-exists=${facts.envFile}`, ...rest];
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- Written by "${commandForAnyone('service install')}"; "${commandForAnyone('service uninstall')}" removes it. -->
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>${AGENT_LABEL}</string>
  <key>ProgramArguments</key>
  <array>
${words.map((text) => `    <string>${xml(text)}</string>`).join('\n')}
  </array>
  <key>EnvironmentVariables</key>
  <dict>
    <key>PATH</key>
    <string>${xml(pathVariable(facts, ['/opt/homebrew/bin']))}</string>
  </dict>
  <key>WorkingDirectory</key>
  <string>${xml(facts.home)}</string>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <true/>
  <key>ThrottleInterval</key>
  <integer>10</integer>
  <key>ExitTimeOut</key>
  <integer>30</integer>
  <key>ProcessType</key>
  <string>Background</string>
  <key>Umask</key>
  <integer>63</integer>
  <key>SoftResourceLimits</key>
  <dict>
    <key>NumberOfFiles</key>
    <integer>4096</integer>
  </dict>
  <key>StandardOutPath</key>
  <string>${xml(facts.logFile)}</string>
  <key>StandardErrorPath</key>
  <string>${xml(facts.logFile)}</string>
</dict>
</plist>
`;
}
