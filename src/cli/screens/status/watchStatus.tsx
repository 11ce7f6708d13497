/** `coffer status --watch` on the screen. What it shows is in lines.ts. */
import { Box, render, Text, useApp, useInput } from 'ink'
import { useEffect, useState } from 'react'
import type { ReactNode } from 'react'
import type { Context } from '../../command.js'
import { listOf } from '../../node/answer.js'
import type { Door } from '../../node/door.js'
import { statusLines } from './lines.js'
import type { Seen } from './lines.js'

const EACH_MS = 1000
/** Accounts are read once in so many turns: it takes the node a while to look at each. */
const ACCOUNTS_EACH = 10

/** Shows the node until the person leaves. Only for a terminal that `mayShowScreens`. */
export async function watchStatus({ terminal, now }: Pick<Context, 'terminal' | 'now'>, door: Pick<Door, 'call'>): Promise<void> {
  const { streams } = terminal
  // Ink reads single keys only once it has drawn; what is typed before must not be echoed or edited by the terminal.
  streams.stdin.setRawMode?.(true)
  const screen = render(<Watched door={door} now={now} columns={() => streams.stdout.columns ?? 80} />, {
    // Ink asks for the streams of a process by their types; it uses no more of them than ours have.
    stdin: streams.stdin as NodeJS.ReadStream,
    stdout: streams.stdout as NodeJS.WriteStream,
    stderr: streams.stderr as NodeJS.WriteStream,
    exitOnCtrlC: false,
    patchConsole: false,
  })
  await screen.waitUntilExit()
}

interface WatchedProps {
  door: Pick<Door, 'call'>
  now(): number
  columns(): number
}

function Watched({ door, now, columns }: WatchedProps): ReactNode {
  const { exit } = useApp()
  const [seen, setSeen] = useState<Seen>()
  /** Counts what was asked for by a key. */
  const [wanted, setWanted] = useState(0)
  useInput((input, key) => {
    if (input === 'q' || (key.ctrl && input === 'c') || key.escape) exit()
    else if (input === 'r') setWanted((count) => count + 1)
  })
  useEffect(() => {
    let isOver = false
    let timer: NodeJS.Timeout | undefined
    const turn = async (at: number): Promise<void> => {
      const read = await readAll(door, at % ACCOUNTS_EACH === 0)
      if (isOver) return
      setSeen((before) => joined(before, read))
      timer = setTimeout(() => void turn(at + 1), EACH_MS)
    }
    void turn(0)
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [wanted])
  const lines = seen === undefined ? ['reading …'] : statusLines(seen, now(), Math.max(40, columns() - 2))
  return (
    <Box flexDirection="column" paddingX={1}>
      {lines.map((line, at) => (
        <Text key={at} wrap="truncate">
          {line === '' ? ' ' : line}
        </Text>
      ))}
    </Box>
  )
}

/** What the node answers now; when it does not, why. */
async function readAll(door: Pick<Door, 'call'>, withAccounts: boolean): Promise<Partial<Seen>> {
  try {
    const status = await door.call('node.status', {}, {})
    const requests = listOf((await door.call('requests.list', {}, {}))['requests'])
    if (!withAccounts) return { status, requests }
    return { status, requests, users: listOf((await door.call('users.list', {}, {}))['users']) }
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) }
  }
}

/** A problem goes with the next answer; what was known stays until then. */
function joined(before: Seen | undefined, read: Partial<Seen>): Seen {
  const { problem: _, ...known } = before ?? { status: {}, users: [], requests: [] }
  return { ...known, ...read }
}
