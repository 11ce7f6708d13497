/** Changes one setting in `config.toml`; the rest of the file is preserved byte for byte. */
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
 * Sets a setting in the file, or removes it when `value` is undefined. Strings are parsed like those of variables. Unknown
 * keys can be removed, but not set. Creates the file when missing, replaces it atomically, and makes it readable by its
 * owner only, since it holds secrets.
 * @returns true when the file was changed.
 * @throws ConfigError when the value is invalid, or the file is not TOML or cannot be edited.
 */
export function editConfigFile(file: string, key: string, value: unknown): boolean {
  const before = readIfThere(file)
  let after: string
  try {
    after = editToml(before ?? '', key.split('.'), value === undefined ? undefined : valueToWrite(key, value))
  } catch (error) {
    throw error instanceof ConfigError ? error : fileError(file, error)
  }
  if (after === (before ?? '')) return false
  replaceConfigFile(file, after)
  return true
}

/**
 * Checks whether the file contains the key.
 * @throws ConfigError when the file is not TOML.
 */
export function isInConfigFile(file: string, key: string): boolean {
  let current: unknown
  try {
    current = parse(readIfThere(file) ?? '')
  } catch (error) {
    throw fileError(file, error)
  }
  for (const name of key.split('.')) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, name)) return false
    current = Object.entries(current).find(([each]) => each === name)?.[1]
  }
  return current !== undefined
}

function fileError(file: string, error: unknown): ConfigError {
  const message = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)
  return new ConfigError([{ origin: 'file', place: file, message }])
}

/** Returns the value to write into the file; undefined for `null`, which is expressed by leaving the key out. */
function valueToWrite(key: string, input: unknown): unknown {
  if (!isSettingKey(key)) {
    throw new ConfigError([{ key, origin: 'flag', message: `${key} is not a setting` }])
  }
  const reading = readValue(key, input)
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

/** Keeps the owner of the file when root replaces it, for a node that runs as another user. */
function keepOwner(handle: number, replaced: string): void {
  const former = statSync(replaced, { throwIfNoEntry: false })
  if (former !== undefined && process.geteuid?.() === 0) fchownSync(handle, former.uid, former.gid)
}

/** Replaces the text of the file atomically: temporary file, fsync, rename, fsync of the folder. */
export function replaceConfigFile(file: string, text: string): void {
  // A symbolic link is kept; its target is replaced.
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
