/** What `viber doctor` finds, a sentence each. */
export const doctor = {
  small: '{model} is the small built-in model, which understands a few fixed requests; {command} connects a real one',
  late: 'no answer within {n, plural, one {# second} other {# seconds}}',
  tempFile: "TMPDIR names {folder}, which isn't a folder: change it",
  tempUnusable: "TMPDIR: can't use the folder for temporary files, {folder}: {why}; create it, or name another",
  homeWritable: '{home} can be written',
  homeLater: "{home} doesn't exist yet; it is created at the start",
  free: '{space} free',
  tooLittle: '{space} free, less than limits.freeBytes ({least}): no new message is accepted',
  homeUnwritable: "can't write {home}: {why}; choose another with --home or OPENVIBER_HOME",
  folderUnwritable: "this user can't write {folder}: chown it",
  folderOpen: 'others can look into {folder}: chmod 700 it',
  fileOpen: 'others can read {file}: chmod 600 it',
  tooFewHandles:
    '{tooLow, select, yes {at most {limit} open files and sockets are allowed, and it needs {needs} to work: {how}} other {at most {limit} open files and sockets are allowed, and with all runs at work it needs up to {needs}: {how}}}',
  pictures: '{model} draws pictures when it is asked to',
  noPictures: "{provider} can't draw pictures; choose openai, google, or an endpoint under providers",
  noPictureKey: 'there is no key for drawing pictures',
  projects:
    '{folder} holds {n, plural, =0 {no projects} one {one project} other {# projects}}; commands there reach {network, select, registries {package registries} all {the public internet} other {no network}}',
  commands: 'commands run in the sandbox, and find {tools}',
  commandsAsk: 'without a sandbox, a person is asked before each command; commands find {tools}',
  noGateway: 'none runs on this machine now',
  gateway: 'process {pid} {roles}; its lock and socket are in {folder}',
  gatewayPort: 'process {pid} on port {port} {roles}; its lock and socket are in {folder}',
  answers: '{name} answers',
  noAnswer: "{name} doesn't answer: {why}",
  otherAddress: "{name} doesn't answer at {given}, but at {right}: set {right}",
  noV1: "{name} doesn't answer at {given}, but at {right}: /v1 is missing, set {right}",
  defaults: 'defaults and environment',
  setting: '{path}: {what}',
  dm: '{dm, select, pairing {people listed under people or access.allow, and those let in with a code} allowlist {people listed under people or access.allow} open {everybody} other {nobody}}',
  when: '{groups, select, mention {when it is mentioned} all {every message} other {never}}',
  serverAll: 'all of server {id} ({when})',
  everyServer: 'every channel of every other server ({when})',
  everyGroup: 'every group it was added to ({when})',
  inChats: 'in {chats} ({when})',
  nowhere: 'nowhere',
  door: 'answers in direct messages: {dm}; in groups: {places}',
  openDm:
    '{key}.dm is open: everybody on {name} can use the model at your expense; people on no list see no memory and no workspace files',
  openServer:
    '{all, select, yes {{key} lists server {id}: everybody who writes in any of its channels can use the model at your expense; people on no list see no memory and no workspace files} other {{key} lists server {id}: everybody who mentions it in any of its channels can use the model at your expense; people on no list see no memory and no workspace files}}',
  openGroups:
    '{all, select, yes {{key}.chats holds "*": anybody who adds it to a group opens that group; everybody who writes there can use the model at your expense; people on no list see no memory and no workspace files} other {{key}.chats holds "*": anybody who adds it to a group opens that group; everybody who mentions it there can use the model at your expense; people on no list see no memory and no workspace files}}',
  everyMessage: '{key}.groups is all: every message in {where} is answered and costs a model call',
  anyGroup: 'every group',
  groupMemory:
    '{key}.memory is group: everybody who reads along there can read what comes from MEMORY.md, USER.md and the daily logs',
  nobodyListed: '{key}.allow is empty and people lists nobody on {name}: no direct message is answered',
  noChats: '{key}.chats is empty: it answers in direct messages only',
  noServers: '{servers} and {key}.chats are empty: it answers in direct messages only',
  lookUp:
    "This machine can't look that name up: check its network and DNS (behind a proxy, set HTTPS_PROXY), then try again.",
  reach: "This machine can't reach it: check its network (behind a proxy, set HTTPS_PROXY), then try again.",
  window: 'Ollama gives {model} {n} tokens and silently drops the rest: start it with OLLAMA_CONTEXT_LENGTH=32768',
  noPrice:
    "no price is known for {name}: its tokens are counted, but limits in money don't apply to it; set prices.{name}",
  skillUnusable: "{name} can't be used: {fixes}",
  noSkill: 'skills.env.{name}: there is no skill of this name',
  skillsAll: '{n, plural, one {the only one can be used} other {all # can be used}}',
  skillsSome: '{usable} of {n} can be used',
  unreadable: "can't read them: {why}",
  sandbox: 'bubblewrap works: scripts of skills see only their own folders',
  noSandbox:
    'there is none on this system: scripts of skills can reach what the gateway can, and a person is asked before each',
  installSandbox:
    'install the package bubblewrap: without it scripts of skills can reach what the gateway can, and a person is asked before each',
  allowSandbox:
    'bubblewrap is there, but this machine refuses it ({why}): without it scripts of skills can reach what the gateway can, and a person is asked before each',
  allowInContainer:
    'bubblewrap is there, but this container refuses it ({why}): start it as compose.yaml does, with seccomp=deploy/seccomp.json, apparmor=unconfined and systempaths=unconfined (in Kubernetes: deploy/kubernetes-sandbox); until then scripts of skills can reach what the gateway can, and a person is asked before each',
  allowNamespaces:
    'bubblewrap is there, but AppArmor refuses user namespaces ({why}): run "sysctl kernel.apparmor_restrict_unprivileged_userns=0" on the machine; until then scripts of skills can reach what the gateway can, and a person is asked before each',
  serverSilent: "mcp.{name} doesn't answer",
  serverEmpty: '{name} answers, and has no tools',
  serverTools:
    '{tools, plural, one {{name} has 1 tool} other {{name} has # tools}}; {asks, select, none {none waits for consent} all {each waits for consent} other {{asking, plural, one {# of them waits for consent} other {# of them wait for consent}}}}',
  noTool: 'mcp.{name}.tools: {name} offers no tool "{tool}"',
  leftOut:
    '{name}: I leave out the tool "{tool}", because {why, select, task {it only runs in the background, as an MCP task} name {its name is too long} description {its description is too long} arguments {its arguments have no names} size {its arguments are described at too great length} other {I take no more tools from one server; list the ones you need under mcp.{name}.tools}}',
  timezone: '{zone} (jobs.timezone)',
  ofViber: '{id}: {what}',
  secondVersion:
    "{name} is a conflict copy of {original}: it was changed in two places, and this copy isn't read. Move what you want into {original} and delete it",
  undecided:
    '{name} line {line}: an unresolved merge, whose two versions are both read; keep one and delete the lines that separate them',
  shorten: '{name} {why}; shorten it, or move what is rarely needed into another file',
  moreFiles: '{n, plural, one {and one more like these} other {and # more like these}}',
  jobsRun: '{n, plural, one {1 job can run} other {all # can run}}',
  jobsOffline:
    '{can}, but {model}, the small built-in model, understands only a few fixed requests; {command} connects a real one',
  listed: '{before}, {after}',
} as const;
