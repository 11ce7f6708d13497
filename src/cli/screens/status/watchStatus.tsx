/** `coffer status --watch` on the screen. board.ts and details.ts build its content, state.ts handles keys. */
import { useInput } from 'ink'
import { useEffect, useRef, useState } from 'react'
import type { ReactNode } from 'react'
import type { Context } from '../../command.js'
import type { NodeClient } from '../../client/nodeClient.js'
import { line, Lines, type Line } from '../line.js'
import { openScreen, useSize } from '../openScreen.js'
import { styles, type Style } from '../parts.js'
import { act, runningText } from './act.js'
import { boardLines } from './board.js'
import { detailLines, keyLines } from './details.js'
import { Logs, type LogsProps } from './Logs.js'
import { joined, readNode, type StatusSnapshot } from './snapshot.js'
import { selectionOf, firstWatchState, keysIn, pressed, settled, type WatchState, type WatchCommand } from './state.js'

const READ_EVERY_MS = 1000
/** Minimum interval of reads of all accounts; they take at most a twentieth of the node's time. */
const FULL_READ_EVERY_MS = 10_000
const FULL_READ_SHARE = 20
/** Space around the content: a column at each side, and the line below for ink's cursor. */
const MARGIN = { columns: 2, rows: 1 }
const MIN_SIZE = { columns: 20, rows: 6 }

type ScreenContext = Pick<Context, 'now' | 'place' | 'commandFor'>

/**
 * Shows the node until the user quits; returns 0 for q and 130 for Ctrl-C. Requires `mayShowScreens`.
 * @param readLog yields the last log entries and new ones, until the signal
 */
export async function watchStatus(
  context: Pick<Context, 'terminal'> & ScreenContext,
  client: Pick<NodeClient, 'call'>,
  readLog: LogsProps['read'],
): Promise<0 | 130> {
  const { terminal } = context
  let exitCode: 0 | 130 = 0
  const screen = openScreen(terminal.streams, { isWhole: true })
  const leave = (code: 0 | 130): void => {
    exitCode = code
    screen.close()
  }
  const style = styles(terminal.paintOut.isColorSupported)
  screen.show(<StatusScreen client={client} context={context} readLog={readLog} style={style} leave={leave} />)
  await screen.closed
  return exitCode
}

interface StatusScreenProps {
  client: Pick<NodeClient, 'call'>
  context: ScreenContext
  readLog: LogsProps['read']
  style: Style
  leave(code: 0 | 130): void
}

function StatusScreen({ client, context, readLog, style, leave }: StatusScreenProps): ReactNode {
  const { now } = context
  const terminal = useSize()
  const size = { columns: Math.max(MIN_SIZE.columns, terminal.columns - MARGIN.columns), rows: Math.max(MIN_SIZE.rows, terminal.rows - MARGIN.rows) }
  const [seen, readNow] = useReadings(client)
  const [state, setState] = useState(firstWatchState)
  // The next key may arrive before a redraw, or right after it to the previous handler.
  const latest = useRef(state)
  const latestSeen = useRef(seen)
  latestSeen.current = seen
  const update = (next: WatchState): void => {
    latest.current = next
    setState(next)
  }
  const print = (notice: string): void => update({ ...latest.current, notice })
  const run = (command: WatchCommand): void => {
    if (command.do === 'quit') return leave(command.code)
    if (command.do === 'refresh') return readNow()
    print(runningText(command))
    void act(client, command).then((outcome) => {
      print(outcome)
      readNow()
    })
  }
  useInput((typed, typedKey) => {
    for (const [input, key] of keysIn(typed, typedKey)) {
      const { state: next, command } = pressed(latestSeen.current ?? joined(undefined, {}), latest.current, input, key, now())
      update(next)
      if (command !== undefined) run(command)
    }
  })
  if (state.view === 'logs') return <Logs read={readLog} size={size} style={style} />
  return <Lines style={style} lines={seen === undefined ? [line('reading …')] : linesOf(seen, settled(seen, state, now()), context, size)} />
}

function linesOf(seen: StatusSnapshot, state: WatchState, context: ScreenContext, size: { columns: number; rows: number }): Line[] {
  const now = context.now()
  if (state.view === 'keys') return keyLines(size.columns)
  if (state.view === 'details') return detailLines(seen, selectionOf(seen, state, now), context, now, size)
  return boardLines(seen, state, now, size)
}

/** Reads the node each second, and immediately on request. */
function useReadings(client: Pick<NodeClient, 'call'>): [seen: StatusSnapshot | undefined, readNow: () => void] {
  const [seen, setSeen] = useState<StatusSnapshot>()
  const wake = useRef<() => void>(() => undefined)
  useEffect(() => {
    let isOver = false
    let timer: NodeJS.Timeout | undefined
    let nextFullRead = 0
    let isReading = false
    const readOnce = async (): Promise<void> => {
      clearTimeout(timer)
      isReading = true
      const began = performance.now()
      const withAll = began >= nextFullRead
      const read = await readNode(client, withAll)
      if (isOver) return
      isReading = false
      if (withAll) nextFullRead = performance.now() + Math.max(FULL_READ_EVERY_MS, FULL_READ_SHARE * (performance.now() - began))
      setSeen((before) => joined(before, read))
      timer = setTimeout(() => void readOnce(), READ_EVERY_MS)
    }
    wake.current = () => {
      nextFullRead = 0
      if (!isReading) void readOnce()
    }
    void readOnce()
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [])
  return [seen, () => wake.current()]
}
