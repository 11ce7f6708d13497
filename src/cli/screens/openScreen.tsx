/**
 * A screen that is driven by single keys. However it ends, by a key, an error or a signal, the terminal is given back as
 * it was.
 */
import { render, useStdout } from 'ink'
import { useEffect, useLayoutEffect, useState } from 'react'
import type { ReactNode } from 'react'
import type { Streams } from '../terminal/terminal.js'

export interface Screen {
  /** Draws this in place of what was drawn. */
  show(node: ReactNode): void
  /** Ends it; what was drawn last stays where the screen is not a whole one. */
  close(): void
  /** Resolves when it has ended; rejects with what failed while drawing. */
  readonly closed: Promise<void>
}

const LEAVE_WHOLE = '\u001b[?1049l'
const ENTER_WHOLE = '\u001b[?1049h\u001b[H'

/**
 * Opens a screen below what is on the terminal, or with `isWhole` one that covers it for as long. Only for a terminal
 * that `mayShowScreens`.
 */
export function openScreen(streams: Streams, { isWhole = false }: { isWhole?: boolean } = {}): Screen {
  const { stdin, stdout, stderr } = streams
  // Ink reads single keys only once it has drawn; what is typed before must not be echoed or edited by the terminal.
  stdin.setRawMode?.(true)
  if (isWhole) stdout.write(ENTER_WHOLE)
  const around = (node: ReactNode): ReactNode => (isWhole ? <Whole>{node}</Whole> : node)
  const screen = render(around(null), {
    // Ink asks for the streams of a process by their types; it uses no more of them than ours have.
    stdin: stdin as NodeJS.ReadStream,
    stdout: stdout as NodeJS.WriteStream,
    stderr: stderr as NodeJS.WriteStream,
    exitOnCtrlC: false,
    patchConsole: false,
  })
  return {
    show: (node) => screen.rerender(around(node)),
    close: () => screen.unmount(),
    closed: screen.waitUntilExit().then(
      () => void stdin.setRawMode?.(false),
      (error: unknown) => {
        stdin.setRawMode?.(false)
        throw error
      },
    ),
  }
}

/** Ink takes its tree down on every way out, also when a signal ends the process. */
function Whole({ children }: { children: ReactNode }): ReactNode {
  const { stdout } = useStdout()
  useLayoutEffect(() => () => void stdout.write(LEAVE_WHOLE), [])
  return children
}

/** Columns and rows of the terminal, kept up to date. */
export function useSize(): { columns: number; rows: number } {
  const { stdout } = useStdout()
  const read = (): { columns: number; rows: number } => ({ columns: stdout.columns || 80, rows: stdout.rows || 24 })
  const [size, setSize] = useState(read)
  useEffect(() => {
    const changed = (): void => setSize(read())
    stdout.on('resize', changed)
    return () => void stdout.off('resize', changed)
  }, [])
  return size
}
