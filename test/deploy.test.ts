/** The files of `deploy/`: Kubernetes takes them, they are true to each other, and the gateway takes what they give it. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { Deployment, type IDeployment, type IStatefulSet, StatefulSet } from 'kubernetes-models/apps/v1';
import { type INetworkPolicy, NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import { type IPodDisruptionBudget, PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import {
  type INamespace,
  type IPersistentVolumeClaim,
  type IService,
  Namespace,
  PersistentVolumeClaim,
  Service,
} from 'kubernetes-models/v1';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { loadConfig } from '../src/config.ts';
import { tempFolder } from './helpers/temp.ts';
import { type Profile, profileFrom, SANDBOX, UNNEEDED } from './seccomp.ts';

const FOLDER = path.join(import.meta.dirname, '../deploy');
const read = (name: string) => fs.readFileSync(path.join(FOLDER, name), 'utf8');

type Manifest =
  | IDeployment
  | IStatefulSet
  | INetworkPolicy
  | IPodDisruptionBudget
  | INamespace
  | IPersistentVolumeClaim
  | IService;

/** Its `validate` throws what the schema of its kind says of it. */
function modelOf(manifest: Manifest) {
  switch (manifest.kind) {
    case 'Deployment':
      return new Deployment(manifest);
    case 'StatefulSet':
      return new StatefulSet(manifest);
    case 'NetworkPolicy':
      return new NetworkPolicy(manifest);
    case 'PodDisruptionBudget':
      return new PodDisruptionBudget(manifest);
    case 'Namespace':
      return new Namespace(manifest);
    case 'PersistentVolumeClaim':
      return new PersistentVolumeClaim(manifest);
    case 'Service':
      return new Service(manifest);
  }
}

const kustomization = z
  .object({
    resources: z.array(z.string()),
    configMapGenerator: z.array(z.object({ name: z.string(), files: z.array(z.string()) })),
  })
  .parse(parse(read('kubernetes/kustomization.yaml')));

const manifests = kustomization.resources.flatMap((name) =>
  parseAllDocuments(read(`kubernetes/${name}`)).map((document): Manifest => {
    expect(document.errors).toEqual([]);
    return document.toJS();
  }),
);
const workloads = manifests.filter(
  (each): each is IDeployment | IStatefulSet => each.kind === 'Deployment' || each.kind === 'StatefulSet',
);
const gateways = workloads.filter((each) => each.kind === 'Deployment');
const podOf = (each: IDeployment | IStatefulSet) => each.spec?.template.spec;

describe('deploy/kubernetes', () => {
  it('is what Kubernetes takes', () => {
    expect(manifests.length).toBeGreaterThan(8);
    for (const manifest of manifests) expect(() => modelOf(manifest).validate()).not.toThrow();
    // The check can fail.
    expect(() =>
      modelOf({
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 'x' },
        spec: { ports: [{ port: 1.5 }] },
      }).validate(),
    ).toThrow();
  });

  it('names every file of the folder once', () => {
    const named = [...kustomization.resources, ...kustomization.configMapGenerator.flatMap(({ files }) => files)];
    expect([...named, 'kustomization.yaml'].sort()).toEqual(fs.readdirSync(path.join(FOLDER, 'kubernetes')).sort());
  });

  it('selects the pods that there are, by Service, PodDisruptionBudget and NetworkPolicy', () => {
    const labels = workloads.map((each) => each.spec?.template.metadata?.labels ?? {});
    const selected = (selector: Record<string, string> | undefined) =>
      labels.filter((has) => Object.entries(selector ?? { none: '' }).every(([key, value]) => has[key] === value))
        .length;
    for (const manifest of manifests) {
      if (manifest.kind === 'Service') expect(selected(manifest.spec?.selector)).toBe(1);
      if (manifest.kind === 'PodDisruptionBudget') expect(selected(manifest.spec?.selector?.matchLabels)).toBe(1);
      if (manifest.kind === 'Deployment') expect(selected(manifest.spec?.selector.matchLabels)).toBe(1);
      if (manifest.kind === 'NetworkPolicy') {
        expect(selected(manifest.spec?.podSelector?.matchLabels)).toBe(1);
        expect(selected(manifest.spec?.ingress?.[0]?.from?.[0]?.podSelector?.matchLabels)).toBe(gateways.length);
      }
    }
  });

  it('keeps one gateway of each kind while machines are emptied, and probes each', () => {
    const kept = manifests.filter((each) => each.kind === 'PodDisruptionBudget').map((each) => each.metadata?.name);
    expect(kept.sort()).toEqual(gateways.map((each) => each.metadata?.name).sort());
    for (const gateway of gateways) {
      expect(gateway.spec?.replicas).toBeGreaterThan(1);
      const pod = podOf(gateway);
      const container = pod?.containers[0];
      expect(container?.livenessProbe?.httpGet?.path).toBe('/healthz');
      expect(container?.readinessProbe?.httpGet?.path).toBe('/readyz');
      expect(pod?.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(30);
    }
  });

  it('runs nothing as root and mounts only what it declares', () => {
    for (const each of workloads) {
      const pod = podOf(each);
      expect(pod?.securityContext?.runAsNonRoot).toBe(true);
      const claims =
        each.kind === 'StatefulSet' ? each.spec?.volumeClaimTemplates?.map(({ metadata }) => metadata?.name) : [];
      const volumes = [...(pod?.volumes?.map(({ name }) => name) ?? []), ...(claims ?? [])];
      for (const container of pod?.containers ?? []) {
        expect(container.securityContext).toMatchObject({
          readOnlyRootFilesystem: true,
          allowPrivilegeEscalation: false,
        });
        expect(container.volumeMounts?.map(({ name }) => name).sort()).toEqual(volumes.sort());
      }
      const maps = pod?.volumes?.flatMap(({ configMap }) => configMap?.name ?? []) ?? [];
      const made = kustomization.configMapGenerator.map(({ name }) => name);
      expect(made).toEqual(expect.arrayContaining(maps));
    }
  });

  it('gives each gateway a configuration that it takes', async () => {
    for (const gateway of gateways) {
      const set = podOf(gateway)?.containers[0]?.env?.map(({ name, value }) => [name, value]) ?? [];
      const { config, warnings } = await loadConfig({
        home: path.join(FOLDER, 'kubernetes'),
        env: {
          ...Object.fromEntries(set),
          TELEGRAM_BOT_TOKEN: '1234567:aaaaaaaaaaaa',
          ANTHROPIC_API_KEY: 'a-key',
          OPENVIBER_TOKEN: 'a-token-that-is-long-enough-to-be-one',
          VALKEY_PASSWORD: 'a-password',
        },
      });
      expect(warnings).toEqual([]);
      expect(config.engine).toMatchObject({
        kind: 'redis',
        url: 'redis://:a-password@valkey:6379',
        runDir: '/run/openviber',
      });
      expect(config.engine.roles).toEqual(
        gateway.metadata?.name === 'worker' ? ['work'] : ['ingress', 'work', 'deliver'],
      );
    }
  });
});

it('the engine asks for a password, here and there', () => {
  const server = manifests.find((each) => each.kind === 'StatefulSet');
  expect(JSON.stringify(server)).toContain('"--requirepass","$(VALKEY_PASSWORD)"');
  expect(read('compose.yaml')).toContain('"--requirepass", "${VALKEY_PASSWORD:?');
});

describe('deploy/kubernetes-sandbox', () => {
  const operation = z.strictObject({ op: z.enum(['add', 'replace']), path: z.string(), value: z.json() });
  const overlay = z
    .object({
      resources: z.tuple([z.literal('../kubernetes')]),
      patches: z.array(
        z.strictObject({
          target: z.strictObject({ kind: z.string(), name: z.string().optional() }),
          patch: z.string().transform((text) => z.array(operation).parse(parse(text))),
        }),
      ),
    })
    .parse(parse(read('kubernetes-sandbox/kustomization.yaml')));

  /** As kustomize applies a patch of RFC 6902. */
  function patched(manifest: Manifest): Manifest {
    const copy = structuredClone(manifest);
    for (const { target, patch } of overlay.patches) {
      if (target.kind !== copy.kind || (target.name !== undefined && target.name !== copy.metadata?.name)) continue;
      for (const { op, path: pointer, value } of patch) {
        const names = pointer
          .slice(1)
          .split('/')
          .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
        const last = names.pop() ?? '';
        const holder = names.reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], copy);
        const fields = z.record(z.string(), z.unknown()).parse(holder);
        expect(Object.hasOwn(fields, last), pointer).toBe(op === 'replace');
        Object.assign(holder as object, { [last]: value });
      }
    }
    return copy;
  }

  it('is what Kubernetes takes, and lets the gateways alone start a sandbox', () => {
    for (const manifest of manifests) {
      const own = patched(manifest);
      expect(() => modelOf(own).validate()).not.toThrow();
      if (own.kind === 'StatefulSet') expect(own).toEqual(manifest);
      if (own.kind !== 'Deployment') continue;
      const pod = podOf(own);
      expect(pod?.hostUsers).toBe(false);
      expect(pod?.securityContext).toMatchObject({
        runAsNonRoot: true,
        seccompProfile: { type: 'Localhost', localhostProfile: 'openviber.json' },
        appArmorProfile: { type: 'Unconfined' },
      });
      expect(pod?.containers[0]?.securityContext).toMatchObject({
        procMount: 'Unmasked',
        readOnlyRootFilesystem: true,
        allowPrivilegeEscalation: false,
        capabilities: { drop: ['ALL'] },
      });
    }
  });
});

describe('deploy/seccomp.json', () => {
  const profile: Profile = JSON.parse(read('seccomp.json'));
  const allowed = profile.syscalls.filter(({ action, args }) => action === 'SCMP_ACT_ALLOW' && !args);
  const names = allowed.flatMap((each) => each.names);

  it('allows what the sandbox needs, each call once, and nothing that reaches the machine', () => {
    expect(profile).toMatchObject({ defaultAction: 'SCMP_ACT_ERRNO', defaultErrnoRet: 1 });
    expect(new Set(names).size).toBe(names.length);
    expect(names).toEqual(expect.arrayContaining([...SANDBOX, 'read', 'execve', 'epoll_wait', 'seccomp']));
    // biome-ignore format: a row is a line
    const forbidden = [
      ...['add_key', 'bpf', 'clone3', 'delete_module', 'fsopen', 'init_module', 'io_uring_setup', 'kexec_load', 'keyctl'],
      ...['mount_setattr', 'move_mount', 'open_by_handle_at', 'open_tree', 'perf_event_open', 'ptrace', 'quotactl'],
      ...['reboot', 'request_key', 'settimeofday', 'swapon', 'syslog', 'userfaultfd', ...UNNEEDED],
    ];
    expect(names.filter((name) => forbidden.includes(name))).toEqual([]);
    // Programs fall back to clone, whose arguments can be seen.
    expect(profile.syscalls).toContainEqual({ names: ['clone3'], action: 'SCMP_ACT_ERRNO', errnoRet: 38 });
    const families = profile.syscalls.filter((each) => each.names.includes('socket'));
    expect(families.map(({ args }) => args?.map(({ op, value }) => `${op} ${value}`))).not.toContain(undefined);
  });

  it('is made by a rule: what Docker allows without capabilities on our machines, and the sandbox', () => {
    const allow = (given: string[], more: object = {}) => ({ names: given, action: 'SCMP_ACT_ALLOW', ...more });
    const test = { index: 0, value: 38, op: 'SCMP_CMP_LT' };
    const made = profileFrom({
      defaultAction: 'SCMP_ACT_ERRNO',
      defaultErrnoRet: 1,
      syscalls: [
        allow(['write', 'read', 'ptrace']),
        allow(['read', 'arch_prctl'], { includes: { arches: ['amd64', 'x32'] } }),
        allow(['pci_read'], { includes: { arches: ['s390x'] } }),
        allow(['bpf', 'clone'], { includes: { caps: ['CAP_SYS_ADMIN'] } }),
        allow(['clone'], { args: [test], excludes: { caps: ['CAP_SYS_ADMIN'], arches: ['s390x'] } }),
        allow(['socket'], { args: [test] }),
        { names: ['clone3'], action: 'SCMP_ACT_ERRNO', errnoRet: 38, excludes: { caps: ['CAP_SYS_ADMIN'] } },
      ],
    });
    expect(made.syscalls.map((each) => each.names)).toEqual([
      ['arch_prctl', 'read', 'write'],
      ['socket'],
      ['clone3'],
      SANDBOX,
    ]);
    expect(made.syscalls[1]).toMatchObject({ args: [test] });
  });
});

describe('deploy/compose.yaml', () => {
  const compose = z
    .object({
      services: z.record(
        z.string(),
        z.object({
          image: z.string(),
          volumes: z.array(z.string()),
          security_opt: z.array(z.string()).default([]),
          depends_on: z.record(z.string(), z.unknown()).optional(),
        }),
      ),
      volumes: z.record(z.string(), z.unknown()),
    })
    .parse(parse(read('compose.yaml'), { merge: true }));

  it('has two gateways on one home and one engine', () => {
    const gateways = Object.values(compose.services).filter(({ image }) => image === 'openviber-gateway');
    expect(gateways).toHaveLength(2);
    for (const gateway of gateways) {
      expect(gateway.volumes).toEqual(['home:/data']);
      expect(gateway.security_opt).toEqual([
        'no-new-privileges:true',
        'seccomp=seccomp.json',
        'apparmor=unconfined',
        'systempaths=unconfined',
      ]);
      expect(compose.services).toHaveProperty(Object.keys(gateway.depends_on ?? {}));
    }
  });

  it('names volumes and files that are there', () => {
    for (const { volumes } of Object.values(compose.services))
      for (const [from = ''] of volumes.map((volume) => volume.split(':')))
        if (from.startsWith('.')) expect(fs.existsSync(path.join(FOLDER, from))).toBe(true);
        else expect(compose.volumes).toHaveProperty(from);
  });
});

it('sets the engine as the gateway demands it', () => {
  const lines = read('kubernetes/valkey.conf').split('\n');
  for (const line of ['appendonly yes', 'appendfsync always', 'maxmemory-policy noeviction'])
    expect(lines).toContain(line);
});

it('the program is built from what a container is given', () => {
  const root = path.join(import.meta.dirname, '..');
  const ignored = fs.readFileSync(path.join(root, '.dockerignore'), 'utf8').split('\n');
  const config = JSON.stringify(path.join(root, 'rolldown.config.ts'));
  const print = `const { default: all } = await import(${config}); console.log(JSON.stringify(all.map(({ input }) => input)));`;
  // Elsewhere, where nothing that is left out of the container is there either.
  const options = { cwd: tempFolder(), encoding: 'utf8' } as const;
  const inputs: Record<string, string>[] = JSON.parse(execFileSync(process.execPath, ['-e', print], options));
  const files = inputs.flatMap((input) => Object.values(input));
  expect(files).toContain('src/main.ts');
  expect(files.filter((file) => ignored.includes(file.split('/')[0] ?? ''))).toEqual([]);
});
