/** Starts an isolated keychain: a session bus with gnome-keyring, and a stub of the password prompt that never answers. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { folder, type CleanUp, type Env } from './coffer.js'

const SERVICE = 'org.freedesktop.secrets'
const ROOT = '/org/freedesktop/secrets'
const LOGIN = `${ROOT}/collection/login`
const ITEM = 'org.freedesktop.Secret.Item'

/** Returns why this machine cannot run a keychain, or undefined. */
export function keyringProblem(): string | undefined {
  const missing = ['dbus-run-session', 'dbus-send', 'gnome-keyring-daemon'].filter((name) => spawnSync(name, ['--version']).error !== undefined)
  return missing.length === 0 ? undefined : `it needs ${missing.join(', ')}`
}

export interface Keyring {
  /** Environment of processes of the session. */
  env: Env
  /** Returns the object paths of the stored items. */
  items(): string[]
  /** Returns the attributes of an item. */
  about(item: string): string
  lose(item: string): void
  /** Locks the keychain, which then requires its password. */
  lock(): void
  /** Suspends the daemon; `resume` continues it. */
  hang(): void
  resume(): void
  /** State of the password prompt: opened, and closed without an answer. */
  window(): { isPrompting: boolean; isDone: boolean }
}

/** Starts a keychain, unlocked and empty. */
export async function startKeyring(cleanUp: CleanUp): Promise<Keyring> {
  const root = folder(cleanUp)
  const at = (name: string): string => join(root, name)
  for (const name of ['run', 'data/dbus-1/services']) mkdirSync(at(name), { recursive: true, mode: 0o700 })
  // Stub of the password prompt of a locked keychain; it never answers.
  writeFileSync(at('window'), `#!/bin/sh\ntouch ${at('asked')}\nn=0\nwhile [ -d ${at('run')} ] && [ $n -lt 200 ]; do sleep 0.1; n=$((n+1)); done\ntouch ${at('over')}\n`)
  chmodSync(at('window'), 0o755)
  const prompter = 'org.gnome.keyring.SystemPrompter'
  writeFileSync(at(`data/dbus-1/services/${prompter}.service`), `[D-BUS Service]\nName=${prompter}\nExec=${at('window')}\n`)
  writeFileSync(at('password'), 'password of the keychain')
  const base = { PATH: process.env['PATH'], HOME: root, XDG_RUNTIME_DIR: at('run'), XDG_DATA_HOME: at('data'), XDG_CONFIG_HOME: at('config'), XDG_CACHE_HOME: at('cache'), XDG_STATE_HOME: at('state') }
  const line = 'echo "$DBUS_SESSION_BUS_ADDRESS"; echo $$; exec gnome-keyring-daemon --foreground --unlock --components=secrets <"$0"'
  const session = spawn('dbus-run-session', ['--', 'sh', '-c', line, at('password')], { env: base, stdio: ['ignore', 'pipe', 'ignore'] })
  const [address = '', pid = ''] = await new Promise<string[]>((resolve, reject) => {
    let output = ''
    session.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
      if (output.split('\n').length > 2) resolve(output.split('\n'))
    })
    session.on('close', () => reject(new Error('the session bus did not start')))
  })
  const daemon = Number(pid)
  const ended = once(session, 'close')
  cleanUp(async () => {
    process.kill(daemon, 'SIGKILL')
    // The session bus removes its own folder at its end.
    await ended
  })
  const env = { ...base, DBUS_SESSION_BUS_ADDRESS: address }
  const send = (...words: string[]): string => {
    const { status, stdout, stderr } = spawnSync('dbus-send', ['--session', '--print-reply', ...words], { env, encoding: 'utf8' })
    if (status !== 0) throw new Error(stderr)
    return stdout
  }
  const call = (path: string, method: string, ...words: string[]): string => send(`--dest=${SERVICE}`, path, method, ...words)
  const property = (path: string, owner: string, name: string): string =>
    call(path, 'org.freedesktop.DBus.Properties.Get', `string:${owner}`, `string:${name}`)
  while (!send('--dest=org.freedesktop.DBus', '/', 'org.freedesktop.DBus.NameHasOwner', `string:${SERVICE}`).includes('true')) await pause(20)
  return {
    env,
    items: () => property(LOGIN, 'org.freedesktop.Secret.Collection', 'Items').match(/\/org\/[^"]+/g) ?? [],
    about: (item) => property(item, ITEM, 'Attributes'),
    lose: (item) => void call(item, `${ITEM}.Delete`),
    lock: () => void call(ROOT, 'org.freedesktop.Secret.Service.Lock', `array:objpath:${LOGIN}`),
    hang: () => void process.kill(daemon, 'SIGSTOP'),
    resume: () => void process.kill(daemon, 'SIGCONT'),
    window: () => ({ isPrompting: existsSync(at('asked')), isDone: existsSync(at('over')) }),
  }
}

/** Reads `node.key`. */
export const keyFileText = (home: string): string => readFileSync(join(home, 'node.key'), 'utf8')
