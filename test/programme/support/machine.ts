/**
 * A container with systemd as its first process: an in-memory overlay of the host file system in separate namespaces, without
 * network and without permission to change the kernel.
 */
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll } from 'vitest'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** Path of the program in the machine. */
const PROGRAM = '/opt/coffer/bin/coffer.js'

/** Boot script of the machine. Arguments: its folder, its cgroup, and the source of /opt/coffer. */
const BOOT = `set -e
echo $$ > "$1/cgroup.procs"
exec unshare --mount --pid --cgroup --uts --ipc --net --fork --kill-child=KILL --propagation private bash -c '
set -e
mount -t tmpfs none "$0"
mkdir "$0/up" "$0/work" "$0/new"
mount -t overlay overlay -o "lowerdir=/,upperdir=$0/up,workdir=$0/work" "$0/new"
cd "$0/new"
mount -t proc proc proc
mount --bind proc/sys proc/sys
mount -o remount,bind,ro proc/sys
mount -t sysfs -o ro sys sys
mount -t cgroup2 cgroup sys/fs/cgroup
mount -t tmpfs run run
mount -t tmpfs dev dev
for name in null zero full random urandom tty; do touch dev/$name; mount --bind /dev/$name dev/$name; done
mkdir dev/shm dev/pts
ln -s /proc/self/fd dev/fd
mount -t devpts -o newinstance,ptmxmode=666 devpts dev/pts
ln -s pts/ptmx dev/ptmx
touch dev/console
rm -rf etc/systemd/system
mkdir -p etc/systemd/system opt/coffer
mount --bind "$1" opt/coffer
mkdir old
pivot_root . old
umount -l old
exec env -i container=coffer PATH=/usr/sbin:/usr/bin:/sbin:/bin setpriv --bounding-set=-sys_boot,-sys_module,-sys_rawio,-sys_time,-syslog \\
  $2 --system --unit=basic.target --log-target=journal --show-status=0
' "$0" "$2" "$3"`

const SYSTEMD = ['/usr/lib/systemd/systemd', '/lib/systemd/systemd']

/** Returns the missing requirement of the machine; undefined if there is none. */
export function lacksMachine(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'it needs Linux, and root for namespaces'
  const runs = (program: string, ...words: string[]): boolean => spawnSync(program, words, { stdio: 'ignore' }).status === 0
  const missing = ['systemctl', 'unshare', 'nsenter', 'setpriv', 'useradd', 'runuser'].filter((name) => !runs(name, '--help'))
  if (missing.length > 0 || !SYSTEMD.some((path) => runs(path, '--version'))) return `it needs ${['systemd', ...missing].join(', ')}`
  if (!runs('unshare', '--mount', '--pid', '--cgroup', '--uts', '--ipc', '--net', '--fork', 'mount', '-t', 'tmpfs', 'none', '/mnt')) return 'it needs permission to create namespaces and mounts'
  if (!readFileSync('/proc/filesystems', 'utf8').includes('overlay')) return 'it needs overlay file systems'
  try {
    rmdirSync(newCgroup())
    return undefined
  } catch {
    return 'it needs permission to create cgroups of version 2'
  }
}

function newCgroup(): string {
  const mounted = readFileSync('/proc/mounts', 'utf8').split('\n').find((line) => line.split(' ')[2] === 'cgroup2')?.split(' ')[1]
  if (mounted === undefined) throw new Error('cgroup2 is not mounted')
  const path = join(mounted, `coffer-test-${process.pid}`)
  mkdirSync(path)
  return path
}

export interface Outcome {
  code: number | null
  out: string
  err: string
}

export interface Machine {
  /** Runs a program as root. */
  run(...words: string[]): Outcome
  /** Runs a program as root, which must succeed; returns its output. */
  done(...words: string[]): string
  /** Runs a shell command, which must succeed; returns its output. */
  shell(line: string): string
  /** Runs `coffer <line>`, optionally as another user. */
  coffer(line: string, as?: string): Outcome
  /** Runs `coffer <line> --json`, which must succeed; returns the parsed output. */
  json(line: string, as?: string): Record<string, unknown>
}

/** Returns a function that starts the machine once; it is stopped after the tests of the file. Call outside of hooks. */
export function withMachine(isWanted: boolean): () => Machine {
  const tasks: (() => void | Promise<void>)[] = []
  let machine: Machine | undefined
  afterAll(async () => {
    for (const task of tasks.reverse()) await task()
  })
  return () => {
    if (!isWanted) throw new Error('The machine is not available.')
    machine ??= boot((task) => void tasks.push(task))
    return machine
  }
}

function boot(cleanUp: (task: () => void | Promise<void>) => void): Machine {
  const folder = mkdtempSync(join(tmpdir(), 'coffer-machine-'))
  const cgroup = newCgroup()
  const systemd = SYSTEMD.find((path) => spawnSync(path, ['--version']).status === 0) ?? ''
  const child = spawn('bash', ['-c', BOOT, folder, cgroup, root, systemd], { stdio: ['ignore', 'inherit', 'inherit'] })
  const ended = new Promise<void>((give) => child.on('exit', () => give()))
  cleanUp(async () => {
    child.kill('SIGKILL')
    await ended
    for (let tries = 0; tries < 100 && readFileSync(join(cgroup, 'cgroup.events'), 'utf8').includes('populated 1'); tries += 1) await pause(50)
    dropCgroup(cgroup)
    rmSync(folder, { recursive: true, force: true })
  })
  let first = 0
  const within = (): string[] => {
    first ||= firstProcess(child.pid ?? 0)
    return ['-t', String(first), '-m', '-p', '-C', '-n', '-i', '-u', '-r', '-w', '--']
  }
  const env = { PATH: `/usr/sbin:/usr/bin:/sbin:/bin:${dirname(process.execPath)}`, HOME: '/root', USER: 'root', LANG: 'C.UTF-8' }
  const run = (...words: string[]): Outcome => {
    const { status, stdout, stderr } = spawnSync('nsenter', [...within(), ...words], { env, encoding: 'utf8', timeout: 120_000 })
    return { code: status, out: stdout, err: stderr }
  }
  const done = (...words: string[]): string => {
    const { code, out, err } = run(...words)
    if (code !== 0) throw new Error(`${words.join(' ')} exits ${code}: ${err}${out}`)
    return out
  }
  waitUntil(() => /running|degraded/.test(run('systemctl', 'is-system-running').out), 'systemd is up')
  const coffer = (line: string, as?: string): Outcome => {
    const words = [process.execPath, PROGRAM, ...line.split(' '), '--no-input']
    if (as === undefined) return run(...words)
    const uid = done('id', '-u', as).trim()
    return run('runuser', '-u', as, '--', 'env', '-i', `PATH=${env.PATH}`, `HOME=/home/${as}`, `USER=${as}`, `XDG_RUNTIME_DIR=/run/user/${uid}`, ...words)
  }
  return {
    run,
    done,
    shell: (line) => done('sh', '-c', line),
    coffer,
    json: (line, as) => {
      const { code, out, err } = coffer(`${line} --json`, as)
      if (code !== 0) throw new Error(`coffer ${line} exits ${code}: ${err}`)
      return JSON.parse(out) as Record<string, unknown>
    },
  }
}

/** Waits until a condition holds; throws after `seconds`. */
export function waitUntil(holds: () => boolean, description: string, seconds = 60): void {
  const ends = Date.now() + seconds * 1000
  while (!holds()) {
    if (Date.now() > ends) throw new Error(`Timed out: ${description}`)
    spawnSync('sleep', ['0.2'])
  }
}

/** Returns the PID of the first process of the machine: the child of the process that created the namespaces. */
function firstProcess(pid: number): number {
  let found = 0
  waitUntil(() => {
    found = Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')[0] ?? 0)
    return found > 0 && readFileSync(`/proc/${found}/comm`, 'utf8').startsWith('systemd')
  }, 'systemd runs')
  return found
}

function dropCgroup(path: string): void {
  for (const entry of readdirSync(path, { withFileTypes: true })) if (entry.isDirectory()) dropCgroup(join(path, entry.name))
  rmdirSync(path)
}
