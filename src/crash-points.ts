/**
 * Named crash points (promise 2): `OPENVIBER_CRASH_AT=<point>[:<n>]` makes the process kill itself with SIGKILL the
 * n-th time it passes there. Without the variable a call is one comparison.
 */
const [armed, count] = (process.env.OPENVIBER_CRASH_AT ?? '').split(':');
let left = Number(count ?? 1);

export type CrashPoint =
  | 'accept:before-commit'
  | 'accept:after-commit'
  | 'run:claimed'
  | 'run:files-read'
  | 'run:message-written'
  | 'run:step-written'
  | 'run:parked'
  | 'run:call-written'
  | 'run:answered'
  | 'run:result-written'
  | 'run:out-written'
  | 'agent:answered'
  | 'approval:decided'
  | 'egress:written'
  | 'job:fired'
  | 'playbook:step-written'
  | 'playbook:revised'
  | 'compaction:extracted'
  | 'compaction:flushed'
  | 'skill:written'
  | 'skill:moved'
  | 'skill:placed'
  | 'restore:begun'
  | 'restore:unpacked'
  | 'restore:whole'
  | 'restore:aside'
  | 'restore:placed'
  | 'uninstall:moved'
  | 'uninstall:put-back'
  | 'migrate:begun'
  | 'migrate:copying'
  | 'migrate:copied'
  | 'migrate:unlinked'
  | 'migrate:moved'
  | 'migrate:linked'
  | 'migrate:done'
  | 'send:intent'
  | 'send:posted'
  | 'send:recorded'
  | 'push:reached'
  | 'push:claimed';

export function crashPoint(point: CrashPoint): void {
  if (armed !== '' && point.replace(':', '-') === armed && --left === 0) process.kill(process.pid, 'SIGKILL');
}
