/** Writes a file atomically. */
import { rmSync } from 'node:fs'
import { lstat, open, rename, rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { errorMessage } from '../../../store/model/errorMessage.js'
import { CommandError, usageError } from '../../framework/exit.js'

interface FileOutput {
  write(text: string): Promise<void>
  /** Syncs the file and moves it into place. */
  done(): Promise<void>
  /** Removes the partial file. No effect after `done`. */
  drop(): Promise<void>
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const

/**
 * Creates a temporary file beside `path`, readable by its owner only; `done` replaces `path` with it.
 * @param onInterrupt `caller` when the command itself ends on Ctrl-C, and then calls `drop`
 * @throws CommandError when `path` is not a regular file, or its folder is not writable
 */
export async function wholeFile(path: string, onInterrupt: 'exit' | 'caller' = 'exit'): Promise<FileOutput> {
  const place = resolve(path)
  const former = await lstat(place).catch(() => undefined)
  if (former !== undefined && !former.isFile()) {
    throw usageError(`${path} exists and is not a regular file`, 'Write to stdout and redirect it instead.')
  }
  const partial = `${place}.${process.pid}.part`
  const file = await open(partial, 'wx', 0o600).catch((cause: unknown) => {
    const why = errorMessage(cause)
    const isFull = cause instanceof Error && 'code' in cause && cause.code === 'ENOSPC'
    throw new CommandError(`${path} cannot be written: ${why}`, { exit: isFull ? 75 : 1, cause })
  })
  const onSignal = (): void => {
    rmSync(partial, { force: true })
    process.exit(130)
  }
  const signals = onInterrupt === 'exit' ? SIGNALS : SIGNALS.filter((signal) => signal !== 'SIGINT')
  for (const signal of signals) process.once(signal, onSignal)
  let isOpen = true
  const close = async (): Promise<void> => {
    if (!isOpen) return
    isOpen = false
    for (const signal of signals) process.off(signal, onSignal)
    await file.close()
  }
  return {
    write: async (text) => {
      await file.appendFile(text)
    },
    done: async () => {
      await file.sync()
      await rename(partial, place)
      await close()
    },
    drop: async () => {
      await close()
      await rm(partial, { force: true })
    },
  }
}

/** Returns the error of an export that Ctrl-C ended, after `done` (`3 events`) were written. */
export function interruptedExport(done: string, output: string | undefined): CommandError {
  const left = output === undefined ? 'the output is incomplete' : `${output} was not written`
  return new CommandError(`Interrupted after ${done}; ${left}.`, { exit: 130, hint: 'To export everything, run the same command again; it starts from the beginning.' })
}
