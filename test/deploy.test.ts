/** The files of `deploy/`: Kubernetes takes them, they are true to each other, and the gateway takes what they give it. */
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

describe('deploy/compose.yaml', () => {
  const compose = z
    .object({
      services: z.record(
        z.string(),
        z.object({
          image: z.string(),
          volumes: z.array(z.string()),
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
