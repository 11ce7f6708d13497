/** Writing a file that is there completely or not at all. */
import { rmSync } from 'node:fs'
import { lstat, open, rename, rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { CommandError, usageError } from '../../framework/exit.js'

export interface FileOutput {
  write(text: string): Promise<void>
  /** Puts the file in its place, once it is on disk. */
  done(): Promise<void>
  /** Leaves nothing behind. After `done`, does nothing. */
  drop(): Promise<void>
}

const endings = ['SIGINT', 'SIGTERM'] as const

/**
 * Begins a file beside `path`, readable by its owner alone; `done` puts it in the place of what was there.
 * @throws CommandError when `path` is no ordinary file, or its folder cannot be written to.
 */
export async function wholeFile(path: string): Promise<FileOutput> {
  const place = resolve(path)
  const former = await lstat(place).catch(() => undefined)
  if (former !== undefined && !former.isFile()) {
    throw usageError(`${path} is there and is no ordinary file`, 'Write to stdout and redirect it instead.')
  }
  const fresh = `${place}.${process.pid}.part`
  const file = await open(fresh, 'wx', 0o600).catch((cause: unknown) => {
    const why = cause instanceof Error ? cause.message : String(cause)
    const isFull = cause instanceof Error && 'code' in cause && cause.code === 'ENOSPC'
    throw new CommandError(`${path} cannot be written: ${why}`, { exit: isFull ? 75 : 1, cause })
  })
  const interrupted = (): void => {
    rmSync(fresh, { force: true })
    process.exit(130)
  }
  for (const signal of endings) process.once(signal, interrupted)
  let isOpen = true
  const close = async (): Promise<void> => {
    if (!isOpen) return
    isOpen = false
    for (const signal of endings) process.off(signal, interrupted)
    await file.close()
  }
  return {
    write: async (text) => {
      await file.appendFile(text)
    },
    done: async () => {
      await file.sync()
      await rename(fresh, place)
      await close()
    },
    drop: async () => {
      await close()
      await rm(fresh, { force: true })
    },
  }
}
