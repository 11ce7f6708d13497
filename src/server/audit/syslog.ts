/**
 * Syslog output of the audit (docs/interface/audit.md#settings): sends each recorded call to a syslog server, over UDP (RFC 5426)
 * or TCP (RFC 6587, octet counting). Calls never wait for it: messages that the server does not accept are dropped, counted and
 * logged.
 */
import { createSocket, type Socket as UdpSocket } from 'node:dgram'
import { connect, type Socket } from 'node:net'
import { hostname } from 'node:os'
import * as z from 'zod'
import type { Log } from '../base/log.js'
import { fillTemplate, syslogMessage, type SyslogValues } from './syslogLine.js'

/** A call as sent to the syslog output. */
interface SyslogCall {
  /** Seconds since the epoch. */
  time: number
  /** Absent for calls that belong to no account. */
  username?: string | undefined
  access: string
  method: string
  /** Content of the record: source, query and outcome. */
  content: unknown
  isFailure: boolean
}

export interface Syslog {
  send(call: SyslogCall): void
  stop(): void
}

interface SyslogOptions {
  /** `udp://host:port` or `tcp://host:port`. */
  url: string
  templates: { success: string; failure: string }
  log: Log
}

/** Maximum bytes queued while a TCP server does not accept data. */
const MAX_WAITING = 1024 * 1024
const RECONNECT_MS = 5000
/** Minimum seconds between log entries on losses. */
const REPORT_INTERVAL = 60

export function createSyslog({ url, templates, log }: SyslogOptions): Syslog {
  const { protocol, hostname: host, port } = new URL(url)
  const target = { host: host.replace(/^\[|\]$/g, ''), port: port === '' ? 514 : Number(port) }
  let dropped = 0
  let reportedAt = -Infinity
  let latest = 0

  function lose(cause: string): void {
    dropped += 1
    if (latest - reportedAt < REPORT_INTERVAL) return
    reportedAt = latest
    log.warn('audit records dropped: the syslog server does not accept them', { url, dropped, cause })
  }

  const output = protocol === 'tcp:' ? tcpOutput(target, lose) : udpOutput(target, lose)
  const header = { host: hostname().replace(/[^\x21-\x7e]/g, '') || '-', pid: process.pid }
  return {
    send(call) {
      latest = call.time
      const outcome = call.isFailure ? 'failure' : 'success'
      const text = fillTemplate(templates[outcome], valuesOf(call))
      output.send(syslogMessage({ ...header, time: call.time }, outcome, text))
    },
    stop: () => output.stop(),
  }
}

/** Parts of a record's content available to templates. */
const Content = z.object({
  source: z.object({ name: z.string(), ip: z.string().optional() }),
  query: z.unknown().optional(),
  callerId: z.string().optional(),
  record: z.object({ key: z.string() }).optional(),
  recordCount: z.number().optional(),
  id: z.string().optional(),
  message: z.string().optional(),
})

function valuesOf({ username, access, method, content }: SyslogCall): SyslogValues {
  const { data } = Content.safeParse(content)
  return {
    username,
    access,
    method,
    source: data?.source.name,
    ip: data?.source.ip,
    query: data?.query,
    callerId: data?.callerId,
    record: data?.record?.key,
    count: data?.recordCount,
    error: data?.id,
    message: data?.message,
  }
}

interface Output {
  send(message: Buffer): void
  stop(): void
}

interface Target {
  host: string
  port: number
}

function udpOutput({ host, port }: Target, lose: (cause: string) => void): Output {
  const socket: UdpSocket = createSocket(host.includes(':') ? 'udp6' : 'udp4')
  socket.unref()
  socket.on('error', (error) => lose(error.message))
  return {
    send(message) {
      socket.send(message, port, host, (error) => {
        if (error !== null) lose(error.message)
      })
    },
    stop: () => void socket.close(),
  }
}

function tcpOutput(target: Target, lose: (cause: string) => void): Output {
  let socket: Socket | undefined
  let retryAt: NodeJS.Timeout | undefined
  let isStopped = false

  function open(): Socket {
    const opened = connect(target)
    opened.unref()
    opened.on('error', (error) => lose(error.message))
    opened.on('close', () => {
      socket = undefined
      if (isStopped) return
      retryAt = setTimeout(() => (retryAt = undefined), RECONNECT_MS)
      retryAt.unref()
    })
    // The server sends nothing, but its end is only noticed when reading.
    opened.resume()
    return opened
  }

  return {
    send(message) {
      if (retryAt !== undefined) return lose('not connected')
      socket ??= open()
      if (socket.writableLength > MAX_WAITING) return lose('too slow')
      socket.write(Buffer.concat([Buffer.from(`${message.length} `), message]))
    },
    stop() {
      isStopped = true
      clearTimeout(retryAt)
      socket?.end()
    },
  }
}
