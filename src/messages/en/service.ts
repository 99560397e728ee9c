/** What `viber service` says. */
export const service = {
  controlCharacter: 'The path {path} contains a control character.',
  none: 'No service is installed for {home}. To install one: {command}',
  written: 'Written: {file}',
  failed: '{command} failed: {problem}',
  runs: 'The gateway runs as a service on {home}. To look at it: {status} and {logs}.',
  other: 'There is already a service for {other}: {command} removes it.',
  odd: '{names}: write this value into {file} by hand.',
  unseen:
    "It doesn't see the variables of this shell: {names}. Write them into {file} (mode 0600), one NAME=value per line, or let {command} do it.",
  lingers: 'It keeps running when you log out, and starts with the machine (lingering is on for {user}).',
  ends: 'It ends when you log out. To keep it running: sudo loginctl enable-linger {user}',
  noLogs:
    'No service is installed, so it has no logs. "{start}" writes them to your terminal, and "{install}" installs the service.',
  noService: 'No service is installed.',
  removed: 'Stopped and removed: {file}. The home stays.',
  unsupported:
    'I can install a service for systemd and launchd only. Here, start the gateway the way this system starts other programs.',
  nextLogin: 'The file is in place and loads at the next login. To try now: launchctl bootstrap gui/$(id -u) {file}',
  noSystemd:
    'This machine has no systemd, like most containers: let what starts other programs here run {command}, or use compose.yaml.',
  wsl: "Nothing is installed: WSL doesn't start systemd by default. Write the lines [boot] and systemd=true into /etc/wsl.conf, run wsl --shutdown in Windows, open WSL again, and install again.",
  noSession:
    "Nothing is installed: a user's services need a session of that user. Log in as them (not with su), or set XDG_RUNTIME_DIR=/run/user/$(id -u), and install again.",
} as const;
