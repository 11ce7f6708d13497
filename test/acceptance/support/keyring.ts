/** A keychain of its own: a session bus with gnome-keyring on it, and somebody to unlock it who never does. */
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

/** Why there can be no keychain on this machine; undefined when there can. */
export function lacksKeyring(): string | undefined {
  const missing = ['dbus-run-session', 'dbus-send', 'gnome-keyring-daemon'].filter((name) => spawnSync(name, ['--version']).error !== undefined)
  return missing.length === 0 ? undefined : `it needs ${missing.join(', ')}`
}

export interface Keyring {
  /** What a process of the session sees. */
  env: Env
  /** The paths of what is kept. */
  items(): string[]
  /** What an item says of itself to programs that look for it. */
  about(item: string): string
  lose(item: string): void
  /** From now on somebody has to type the password. */
  lock(): void
  /** Stops answering, and goes on. */
  hang(): void
  goOn(): void
  /** Whether the window that asks for the password was opened, and whether it is over without an answer. */
  window(): { isAsked: boolean; isOver: boolean }
}

/** Starts one, unlocked and empty. */
export async function startKeyring(cleanUp: CleanUp): Promise<Keyring> {
  const root = folder(cleanUp)
  const at = (name: string): string => join(root, name)
  for (const name of ['run', 'data/dbus-1/services']) mkdirSync(at(name), { recursive: true, mode: 0o700 })
  // The window of a locked keychain: nobody is there who would type a password.
  writeFileSync(at('window'), `#!/bin/sh\ntouch ${at('asked')}\nn=0\nwhile [ -d ${at('run')} ] && [ $n -lt 200 ]; do sleep 0.1; n=$((n+1)); done\ntouch ${at('over')}\n`)
  chmodSync(at('window'), 0o755)
  const prompter = 'org.gnome.keyring.SystemPrompter'
  writeFileSync(at(`data/dbus-1/services/${prompter}.service`), `[D-BUS Service]\nName=${prompter}\nExec=${at('window')}\n`)
  writeFileSync(at('password'), 'password of the keychain')
  const base = { PATH: process.env['PATH'], HOME: root, XDG_RUNTIME_DIR: at('run'), XDG_DATA_HOME: at('data'), XDG_CONFIG_HOME: at('config'), XDG_CACHE_HOME: at('cache'), XDG_STATE_HOME: at('state') }
  const line = 'echo "$DBUS_SESSION_BUS_ADDRESS"; echo $$; exec gnome-keyring-daemon --foreground --unlock --components=secrets <"$0"'
  const session = spawn('dbus-run-session', ['--', 'sh', '-c', line, at('password')], { env: base, stdio: ['ignore', 'pipe', 'ignore'] })
  const [address = '', pid = ''] = await new Promise<string[]>((give, fail) => {
    let told = ''
    session.stdout.setEncoding('utf8').on('data', (text: string) => {
      told += text
      if (told.split('\n').length > 2) give(told.split('\n'))
    })
    session.on('close', () => fail(new Error('the session bus did not start')))
  })
  const daemon = Number(pid)
  const ended = once(session, 'close')
  cleanUp(async () => {
    process.kill(daemon, 'SIGKILL')
    // The session bus takes its own folder away at its end.
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
    goOn: () => void process.kill(daemon, 'SIGCONT'),
    window: () => ({ isAsked: existsSync(at('asked')), isOver: existsSync(at('over')) }),
  }
}

/** What `node.key` says. */
export const keyFileText = (home: string): string => readFileSync(join(home, 'node.key'), 'utf8')
