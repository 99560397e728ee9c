/** What `viber backup` and `viber restore` say. */
export const backup = {
  holds:
    '{files, plural, one {{target} holds one file ({size} MB).} other {{target} holds # files ({size} MB).}} I checked that it can be read back. Only you can read it.',
  keepSafe:
    '{secrets, select, yes {It contains conversations, memory and secrets in plain text: keep it safe.} other {It contains conversations and memory in plain text: keep it safe.}}',
  leftSecret: 'Secrets left out (--with-secrets includes them): {names}.',
  variables: 'In place of secrets, the configuration in it names these variables: {names}.',
  leftLinks: "Left out, because links and sockets can't be backed up: {names}.",
  leftNames: 'Left out, because no restore accepts such a name: {names}.',
  leftUnread: "Left out, because they can't be read: {names}.",
  shrunk: 'These became shorter while they were copied, so check them after a restore: {names}.',
  onServer:
    'Not in the backup: what is in progress, and what was received in the last days. That is on the server at {address} ({now}).',
  onServerNow:
    '{messages, plural, one {one message} other {# messages}}{answers, plural, one { and one answer} other { and # answers}} now',
  copyServer:
    'Copy the append-only folder of that server as well, or a snapshot of its disk: docs/several-machines.md, "Backup".',
  interrupted:
    'A restore into {target} is running or was interrupted; the home is still as it was. Run {command} again, or delete {file} to continue without it.',
  unreadableRecord:
    "A restore into {target} was interrupted, and I can't read {file}. Delete that file and restore again.",
  filledMeanwhile: "{folder} was empty and isn't anymore. Move it away and start again.",
  noHome: 'There is no home at {home}.',
  exists: '{target} already exists. Choose another name.',
  noFolder: 'There is no folder {folder}.',
  inside: '{target} is inside the home. Choose a file outside of it.',
  andMore: '{n, plural, one {{names} and one more} other {{names} and # more}}',
  readsBadly: "The backup can't be read back as it was written, so I deleted it. Check the disk, and try again.",
  broken: "This isn't a backup of viber, or it is damaged: {why}.",
  notOurs: "This isn't a backup of viber.",
  otherVersion: "This backup was made by another version of viber; this one can't read it.",
  tooLarge: 'The backup is larger than the free space on the disk. Nothing was restored.',
  noFile: 'There is no file {file}.',
  notEmpty: "{target} isn't empty. --replace moves what is there aside; or choose another with --home.",
  ownDisk: "{target} is a disk of its own and can't be replaced: restore into a folder on it, with --home.",
  restored:
    '{files, plural, one {Restored the backup of {at} (by viber {version}) to {target}: one file.} other {Restored the backup of {at} (by viber {version}) to {target}: # files.}}',
  leftOut: "Left out, because they can't be restored here: {names}.",
  aside: 'The previous home is in {aside}. Delete it when you no longer need it.',
  noSecrets: 'The backup has no secrets: if you use tokens or keys, set them again, then run {command}.',
  asksFor: 'The configuration needs these variables: {names}.',
  wasOnServer:
    'What was in progress then was on a server (engine.url), not in the backup. It is answered if that server still has it.',
  finishes: 'After the next start I finish the messages and answers that were in progress then.',
} as const;
