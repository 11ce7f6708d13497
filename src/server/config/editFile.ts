/** Changes one setting in `config.toml`; the rest of the file stays byte for byte. */
import {
  closeSync,
  fchownSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { parse } from 'smol-toml'
import { isSettingKey } from './settings/settings.js'
import { ConfigError } from './problem.js'
import { readValue } from './readValue.js'
import { editToml } from './tomlEdit.js'

/**
 * Sets a setting in the file, or removes it when `value` is undefined. Text is read like that of a variable. An
 * unknown key can be removed, but not set. The file is made when it does not exist, is replaced in one step, and is
 * readable by its owner only, since it holds secrets.
 * @returns whether the file was changed.
 * @throws ConfigError when the value does not fit, or the file is not TOML or cannot be edited.
 */
export function editConfigFile(file: string, key: string, value: unknown): boolean {
  const before = readIfThere(file)
  let after: string
  try {
    after = editToml(before ?? '', key.split('.'), value === undefined ? undefined : fitting(key, value))
  } catch (error) {
    throw error instanceof ConfigError ? error : unusable(file, error)
  }
  if (after === (before ?? '')) return false
  replaceConfigFile(file, after)
  return true
}

/**
 * Whether the file names the key at all.
 * @throws ConfigError when the file is not TOML.
 */
export function isInConfigFile(file: string, key: string): boolean {
  let inside: unknown
  try {
    inside = parse(readIfThere(file) ?? '')
  } catch (error) {
    throw unusable(file, error)
  }
  for (const name of key.split('.')) {
    if (typeof inside !== 'object' || inside === null || !Object.hasOwn(inside, name)) return false
    inside = Object.entries(inside).find(([each]) => each === name)?.[1]
  }
  return inside !== undefined
}

function unusable(file: string, error: unknown): ConfigError {
  const message = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)
  return new ConfigError([{ origin: 'file', place: file, message }])
}

/** The value as it is to stand in the file; undefined for `null`, which a file says by silence. */
function fitting(key: string, given: unknown): unknown {
  if (!isSettingKey(key)) {
    throw new ConfigError([{ key, origin: 'flag', message: `${key} is not a setting` }])
  }
  const reading = readValue(key, given)
  if ('wrong' in reading) throw new ConfigError([{ key, origin: 'flag', message: reading.wrong }])
  return reading.value ?? undefined
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

/** What root writes stays the file of its owner, such as that of a node which runs as another account. */
function keepOwner(handle: number, replaced: string): void {
  const former = statSync(replaced, { throwIfNoEntry: false })
  if (former !== undefined && process.geteuid?.() === 0) fchownSync(handle, former.uid, former.gid)
}

/** Gives the file another text. Temporary file, fsync, rename, fsync of the folder: after a crash there is the old file or the new one. */
export function replaceConfigFile(file: string, text: string): void {
  // A link keeps pointing to the file that it names.
  const target = readIfThere(file) === undefined ? file : realpathSync(file)
  const folder = dirname(target)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const temporary = `${target}.${process.pid}.tmp`
  rmSync(temporary, { force: true })
  try {
    const handle = openSync(temporary, 'wx', 0o600)
    try {
      keepOwner(handle, target)
      writeFileSync(handle, text)
      fsyncSync(handle)
    } finally {
      closeSync(handle)
    }
    renameSync(temporary, target)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
