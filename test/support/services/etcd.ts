/**
 * An etcd cluster of one or three members on the loopback, as processes that tests kill, freeze and restart.
 *
 *   const etcd = await startEtcd({ members: 3 })
 *   etcd.freeze(0)
 *   …
 *   await etcd.stop()
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { cpSync, createWriteStream, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { get as httpGet } from 'node:http'
import { get as httpsGet } from 'node:https'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAuthority } from './certificates.js'

const help = spawnSync('etcd', ['--help'], { encoding: 'utf8' })

/** True when the program is installed. */
export const hasEtcd = help.error === undefined

/** Returns the title of a block of tests, which says why they are skipped when etcd is not installed. */
export const titleWithEtcd = (title: string): string => (hasEtcd ? title : `${title} (skipped: etcd is not installed)`)

/** Flags of members that only some releases have. */
const OPTIONAL_FLAGS = ['--unsafe-no-fsync'].filter((flag) => hasEtcd && `${help.stdout}${help.stderr}`.includes(flag))

const MAX_STARTS = 5
const HEALTH_MS = 30_000

export interface EtcdOptions {
  members?: 1 | 3
  /** Members with certificates, which require one of their clients. */
  tls?: true
  /** Further flags of each member. */
  flags?: readonly string[]
  /** Network namespaces of the members, one each, instead of the loopback. */
  networks?: readonly EtcdNetwork[]
}

export interface EtcdNetwork {
  /** Name of the namespace. */
  name: string
  /** Address of the member for the others and for clients within the namespaces. */
  address: string
  /** Its address for the tests. */
  seen: string
}

export interface TestEtcd {
  endpoints: string[]
  /** Authority and client certificate of a cluster with TLS. */
  tls?: { ca: string; cert: string; key: string }
  /** Kills a member at once. Its data remain. */
  kill(index: number): Promise<void>
  /** Stops a member without ending it: its connections stay open and silent. */
  freeze(index: number): void
  thaw(index: number): void
  /** Starts killed members again, and waits until they answer. */
  restart(...indexes: number[]): Promise<void>
  /** Copies the data of all members. Returns a function that puts the copy back. All members are killed at both times. */
  save(): () => void
  /** Removes the data of a killed member. */
  erase(index: number): void
  stop(): Promise<void>
}

/** Processes and folders that have to be removed when the tests end early. */
const leftToEnd = new Set<() => void>()
process.on('exit', () => {
  for (const end of leftToEnd) end()
})

/** Starts a cluster and waits until all members are healthy. Ports are chosen again when another process took one meanwhile. */
export async function startEtcd(options: EtcdOptions = {}): Promise<TestEtcd> {
  for (let start = 1; ; start++) {
    const cluster = await createCluster(options)
    try {
      await cluster.startAll()
      return cluster
    } catch (error) {
      await cluster.stop()
      if (start === MAX_STARTS || !cluster.log().includes('address already in use')) throw new Error(`etcd did not start: ${String(error)}\n${cluster.log().slice(-2000)}`)
    }
  }
}

interface Member {
  name: string
  network?: EtcdNetwork | undefined
  clientUrl: string
  peerUrl: string
  process?: ChildProcess | undefined
}

async function createCluster({ networks, members: count = networks === undefined ? 1 : 3, tls, flags = [] }: EtcdOptions): Promise<TestEtcd & { startAll(): Promise<void>; log(): string }> {
  const folder = mkdtempSync(join(tmpdir(), 'coffer-etcd-'))
  const ports = await freePorts(2 * count)
  const scheme = tls === true ? 'https' : 'http'
  const members: Member[] = Array.from({ length: count }, (_, index) => {
    const host = networks?.[index]?.address ?? '127.0.0.1'
    return { name: `member-${index}`, network: networks?.[index], clientUrl: `${scheme}://${host}:${ports[2 * index]}`, peerUrl: `http://${host}:${ports[2 * index + 1]}` }
  })
  const files = tls === true ? await writeCertificates(folder) : undefined
  const cluster = members.map(({ name, peerUrl }) => `${name}=${peerUrl}`).join(',')
  const logFile = join(folder, 'log')

  const end = (): void => {
    for (const { process: child } of members) child?.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
  leftToEnd.add(end)

  function start(member: Member): void {
    const { name, clientUrl, peerUrl, network } = member
    const args = [
      '--name', name, '--data-dir', join(folder, name),
      '--listen-client-urls', network === undefined ? clientUrl : clientUrl.replace(network.address, '0.0.0.0'), '--advertise-client-urls', clientUrl,
      '--listen-peer-urls', peerUrl, '--initial-advertise-peer-urls', peerUrl,
      '--initial-cluster', cluster, '--initial-cluster-token', folder,
      '--heartbeat-interval', '50', '--election-timeout', '500', '--logger', 'zap', '--log-level', 'warn', '--log-outputs', 'stderr',
      ...(files === undefined ? [] : ['--cert-file', files.cert, '--key-file', files.key, '--trusted-ca-file', files.ca, '--client-cert-auth']),
      ...OPTIONAL_FLAGS, ...flags,
    ]
    const [program, ...line] = [...(network === undefined ? [] : ['ip', 'netns', 'exec', network.name]), 'etcd', ...args]
    const child = spawn(program ?? 'etcd', line, { stdio: ['ignore', 'ignore', 'pipe'], cwd: folder })
    child.stderr.pipe(createWriteStream(logFile, { flags: 'a' })).on('error', () => {})
    child.on('exit', () => {
      if (member.process === child) member.process = undefined
    })
    member.process = child
  }

  async function endMember({ process: child }: Member): Promise<void> {
    if (child === undefined) return
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGKILL')
    await ended
  }

  const memberAt = (index: number): Member => {
    const member = members[index]
    if (member === undefined) throw new Error(`There is no member ${index}`)
    return member
  }
  const signal = (index: number, name: NodeJS.Signals): void => void memberAt(index).process?.kill(name)

  return {
    endpoints: members.map(({ clientUrl }) => clientUrl),
    ...(files === undefined ? {} : { tls: files.client }),
    async startAll() {
      members.forEach(start)
      await Promise.all(members.map((member) => untilHealthy(member, files?.client)))
    },
    kill: (index) => endMember(memberAt(index)),
    freeze: (index) => signal(index, 'SIGSTOP'),
    thaw: (index) => signal(index, 'SIGCONT'),
    async restart(...indexes) {
      const killed = indexes.map(memberAt)
      killed.forEach(start)
      await Promise.all(killed.map((member) => untilHealthy(member, files?.client)))
    },
    save() {
      const copy = join(folder, 'saved')
      for (const { name } of members) cpSync(join(folder, name), join(copy, name), { recursive: true })
      return () => {
        for (const { name } of members) {
          rmSync(join(folder, name), { recursive: true })
          cpSync(join(copy, name), join(folder, name), { recursive: true })
        }
      }
    },
    erase: (index) => rmSync(join(folder, memberAt(index).name), { recursive: true, force: true }),
    async stop() {
      await Promise.all(members.map(endMember))
      rmSync(folder, { recursive: true, force: true })
      leftToEnd.delete(end)
    },
    log: () => {
      try {
        return readFileSync(logFile, 'utf8')
      } catch {
        return ''
      }
    },
  }
}

/** Returns free ports of the loopback. All are open at once, so that they differ. */
async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, () => new Promise<ReturnType<typeof createServer>>((resolve) => {
      const server = createServer().listen(0, '127.0.0.1', () => resolve(server))
    })),
  )
  const ports = servers.map((server) => (server.address() as AddressInfo).port)
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  return ports
}

interface Files {
  ca: string
  cert: string
  key: string
  client: { ca: string; cert: string; key: string }
}

async function writeCertificates(folder: string): Promise<Files> {
  const authority = await createAuthority()
  const [server, client] = await Promise.all([authority.issue({ names: ['127.0.0.1', 'localhost'] }), authority.issue({ names: ['core-a'] })])
  const write = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  return {
    ca: write('ca.pem', authority.cert),
    cert: write('cert.pem', server.cert),
    key: write('key.pem', server.key),
    client: { ca: authority.cert, ...client },
  }
}

/** Waits until a member answers that the cluster has a leader; rejects when its process ends. */
async function untilHealthy(member: Member, tls: Files['client'] | undefined): Promise<void> {
  const end = performance.now() + HEALTH_MS
  const { network, clientUrl } = member
  while (!(await isHealthy(network === undefined ? clientUrl : clientUrl.replace(network.address, network.seen), tls))) {
    if (member.process === undefined) throw new Error(`${member.name} has ended`)
    if (performance.now() > end) throw new Error(`${member.name} is not healthy`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

function isHealthy(url: string, tls: Files['client'] | undefined): Promise<boolean> {
  return new Promise((resolve) => {
    const options = { agent: false as const, timeout: 1000, ...tls }
    const asked = (url.startsWith('https:') ? httpsGet : httpGet)(`${url}/health`, options, (response) => {
      let text = ''
      response.on('data', (chunk: Buffer) => (text += chunk.toString()))
      response.on('end', () => resolve(text.includes('"true"')))
      response.on('error', () => resolve(false))
    })
    asked.on('error', () => resolve(false))
    asked.on('timeout', () => asked.destroy())
  })
}
