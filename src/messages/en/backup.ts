/** What `viber backup` and `viber restore` say. */
export const backup = {
  holds:
    '{files, plural, one {{target} holds one file ({size} MB).} other {{target} holds # files ({size} MB).}} It was read back, and only you can read it.',
  keepSafe:
    '{secrets, select, yes {It holds conversations, memory and secrets in plain text: keep it safe.} other {It holds conversations and memory in plain text: keep it safe.}}',
  leftSecret: 'Left out as secret (--with-secrets includes them): {names}.',
  variables: 'Instead of secrets, its configuration names these variables: {names}.',
  leftLinks: "Left out, because links and sockets can't be backed up: {names}.",
  leftNames: 'Left out, because no restore accepts such a name: {names}.',
  leftUnread: "Left out, because they can't be read: {names}.",
  shrunk: 'Became shorter while they were copied, so check them after a restore: {names}.',
  onServer:
    'Not in it: what is in progress, and what was received in the last days. That is on the server at {address} ({now}).',
  onServerNow:
    '{messages, plural, one {one message} other {# messages}}{answers, plural, one { and one answer} other { and # answers}} now',
  copyServer:
    'Copy the append-only folder of that server as well, or a snapshot of its disk: docs/several-machines.md, "Backup".',
  noHome: 'There is no home at {home}.',
  exists: '{target} already exists. Choose another name.',
  noFolder: 'There is no folder {folder}.',
  inside: '{target} is inside the home. Choose a file outside of it.',
  andMore: '{n, plural, one {{names} and one more} other {{names} and # more}}',
  readsBadly: "The backup doesn't read back as it was written, so it was removed. Check the disk, and try again.",
  broken: "This isn't a backup of viber, or it is damaged: {why}.",
  notOurs: "This isn't a backup of viber.",
  otherVersion: "This backup was made by another version of viber; this one can't read it.",
  tooLarge: 'The backup is larger than the free space on the disk. Nothing was restored.',
  noFile: 'There is no file {file}.',
  notEmpty: "{target} isn't empty. --replace moves what is there aside; or choose another with --home.",
  ownDisk: "{target} is a disk of its own and can't be replaced: restore into a folder on it, with --home.",
  restored:
    '{files, plural, one {{target} now has the backup of {at}: one file, by viber {version}.} other {{target} now has the backup of {at}: # files, by viber {version}.}}',
  leftOut: "Left out, because they can't be restored here: {names}.",
  aside: "What was there is in {aside}. Delete it when you don't need it any more.",
  noSecrets: 'Secrets were not in it: if you use tokens or keys, set them again, then run {command}.',
  asksFor: 'The configuration needs these variables: {names}.',
  wasOnServer:
    'What was in progress then was on a server (engine.url), not in it. It is answered if that server still has it.',
  finishes: 'Messages and answers that were in progress then are finished after the next start.',
} as const;
