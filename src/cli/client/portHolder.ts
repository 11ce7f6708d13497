/**
 * Finds the process that listens on a port of this machine, for messages. Linux lists the open files of processes of the same
 * account, and of all processes for root; a node is recognised by the files of its store. Nothing is requested over the network, so
 * other accounts do not learn the folder of a node.
 */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** A process that listens on a port. */
interface PortHolder {
  pid: number
  /** Name of its program. */
  program: string
  /** Home of the node, if the process is one. */
  home?: string
}

/** Returns the listening process; undefined when the system does not show it. */
export function portHolder(port: number): PortHolder | undefined {
  const sockets = listeningSockets(port)
  if (sockets.size === 0) return undefined
  for (const entry of entriesOf('/proc')) {
    if (!/^\d+$/.test(entry)) continue
    const files = openFiles(entry)
    if (!files.some((file) => sockets.has(file))) continue
    // A program that runs several nodes does not show which one has the port.
    const homes = new Set(files.flatMap((file) => STORE_FILE.exec(file)?.[1] ?? []))
    const [home] = homes
    return { pid: Number(entry), program: textIn(`/proc/${entry}/comm`).trim(), ...(home === undefined || homes.size > 1 ? {} : { home }) }
  }
  return undefined
}

/** A file of the database of a node; the first group is its home. */
const STORE_FILE = /^(.+)\/store\/db\/[^/]+$/
/** State of a listening socket in /proc/net/tcp. */
const LISTENING = '0A'

/** Returns the listening sockets of a port, as links of open files name them: `socket:[12345]`. */
function listeningSockets(port: number): Set<string> {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const lines = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((file) => textIn(file).split('\n'))
  return new Set(
    lines.flatMap((line) => {
      const fields = line.trim().split(/\s+/)
      return fields[1]?.endsWith(suffix) === true && fields[3] === LISTENING ? [`socket:[${fields[9] ?? ''}]`] : []
    }),
  )
}

function openFiles(pid: string): string[] {
  return entriesOf(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/${pid}/fd/${fd}`)]
    } catch {
      return []
    }
  })
}

/** Returns the entries of a folder; none when it is not readable. */
function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function textIn(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
