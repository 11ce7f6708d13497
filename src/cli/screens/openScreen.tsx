/** Opens screens with single-key input. Restores the terminal on every exit: key, error or signal. */
import { render, useStdout } from 'ink'
import { useEffect, useLayoutEffect, useState } from 'react'
import type { ReactNode } from 'react'
import type { Streams } from '../terminal/terminal.js'

export interface Screen {
  /** Replaces the drawn content. */
  show(node: ReactNode): void
  /** Closes the screen; the last content stays unless it covers the terminal. */
  close(): void
  /** Resolves when closed; rejects with an error from drawing. */
  readonly closed: Promise<void>
}

const LEAVE_WHOLE = '\u001b[?1049l'
const ENTER_WHOLE = '\u001b[?1049h\u001b[H'

/** Opens a screen below the current output, or with `isWhole` one that covers the terminal. Requires `mayShowScreens`. */
export function openScreen(streams: Streams, { isWhole = false }: { isWhole?: boolean } = {}): Screen {
  const { stdin, stdout, stderr } = streams
  // Ink starts raw mode after its first drawing; earlier keys must not be echoed or edited by the terminal.
  stdin.setRawMode?.(true)
  if (isWhole) stdout.write(ENTER_WHOLE)
  const around = (node: ReactNode): ReactNode => (isWhole ? <Whole>{node}</Whole> : node)
  const screen = render(around(null), {
    // Ink requires the stream types of a process; ours have all members that it uses.
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

/** Leaves the alternate screen when ink unmounts, including on signals. */
function Whole({ children }: { children: ReactNode }): ReactNode {
  const { stdout } = useStdout()
  useLayoutEffect(() => () => void stdout.write(LEAVE_WHOLE), [])
  return children
}

/** Returns the size of the terminal, updated on resize. */
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
