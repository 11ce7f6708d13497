/** `coffer status --watch` on the screen. board.ts and details.ts build its content, state.ts handles keys. */
import { useInput } from 'ink'
import { useEffect, useRef, useState } from 'react'
import type { ReactNode } from 'react'
import type { Context } from '../../command.js'
import type { NodeClient } from '../../client/nodeClient.js'
import { line, Lines, type Line } from '../line.js'
import { openScreen, useSize } from '../openScreen.js'
import { styles, type Style } from '../parts.js'
import { act, doing } from './act.js'
import { boardLines } from './board.js'
import { detailLines, keyLines } from './details.js'
import { Logs, type LogsProps } from './Logs.js'
import { joined, readNode, type StatusSnapshot } from './snapshot.js'
import { selectionOf, firstWatchState, keysIn, pressed, settled, type WatchState, type WatchCommand } from './state.js'

const EACH_MS = 1000
/** Minimum interval of slow requests, which take at most a twentieth of the node's time. */
const ALL_EACH_MS = 10_000
const ALL_SHARE = 20
/** Space around the content: a column at each side, and the line below for ink's cursor. */
const MARGIN = { columns: 2, rows: 1 }
const LEAST = { columns: 20, rows: 6 }

type Looking = Pick<Context, 'now' | 'place' | 'commandFor'>

/**
 * Shows the node until the user quits; returns 0 for q and 130 for Ctrl-C. Requires `mayShowScreens`.
 * @param readLog yields the last log entries and new ones, until the signal
 */
export async function watchStatus(
  context: Pick<Context, 'terminal'> & Looking,
  client: Pick<NodeClient, 'call'>,
  readLog: LogsProps['read'],
): Promise<0 | 130> {
  const { terminal } = context
  let left: 0 | 130 = 0
  const screen = openScreen(terminal.streams, { isWhole: true })
  const leave = (code: 0 | 130): void => {
    left = code
    screen.close()
  }
  const style = styles(terminal.paintOut.isColorSupported)
  screen.show(<Watched client={client} context={context} readLog={readLog} style={style} leave={leave} />)
  await screen.closed
  return left
}

interface WatchedProps {
  client: Pick<NodeClient, 'call'>
  context: Looking
  readLog: LogsProps['read']
  style: Style
  leave(code: 0 | 130): void
}

function Watched({ client, context, readLog, style, leave }: WatchedProps): ReactNode {
  const { now } = context
  const terminal = useSize()
  const size = { columns: Math.max(LEAST.columns, terminal.columns - MARGIN.columns), rows: Math.max(LEAST.rows, terminal.rows - MARGIN.rows) }
  const [seen, readNow] = useReadings(client)
  const [state, setState] = useState(firstWatchState)
  // The next key may arrive before a redraw, or right after it to the previous handler.
  const latest = useRef(state)
  const latestSeen = useRef(seen)
  latestSeen.current = seen
  const become = (next: WatchState): void => {
    latest.current = next
    setState(next)
  }
  const print = (notice: string): void => become({ ...latest.current, notice })
  const run = (command: WatchCommand): void => {
    if (command.do === 'leave') return leave(command.code)
    if (command.do === 'read') return readNow()
    print(doing(command))
    void act(client, command).then((outcome) => {
      print(outcome)
      readNow()
    })
  }
  useInput((typed, typedKey) => {
    for (const [input, key] of keysIn(typed, typedKey)) {
      const { state: next, command } = pressed(latestSeen.current ?? joined(undefined, {}), latest.current, input, key, now())
      become(next)
      if (command !== undefined) run(command)
    }
  })
  if (state.view === 'logs') return <Logs read={readLog} size={size} style={style} />
  return <Lines style={style} lines={seen === undefined ? [line('reading …')] : linesOf(seen, settled(seen, state, now()), context, size)} />
}

function linesOf(seen: StatusSnapshot, state: WatchState, context: Looking, size: { columns: number; rows: number }): Line[] {
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
    let allDue = 0
    let isReading = false
    const turn = async (): Promise<void> => {
      clearTimeout(timer)
      isReading = true
      const began = performance.now()
      const withAll = began >= allDue
      const read = await readNode(client, withAll)
      if (isOver) return
      isReading = false
      if (withAll) allDue = performance.now() + Math.max(ALL_EACH_MS, ALL_SHARE * (performance.now() - began))
      setSeen((before) => joined(before, read))
      timer = setTimeout(() => void turn(), EACH_MS)
    }
    wake.current = () => {
      allDue = 0
      if (!isReading) void turn()
    }
    void turn()
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [])
  return [seen, () => wake.current()]
}
