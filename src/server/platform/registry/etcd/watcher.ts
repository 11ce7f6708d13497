/** Watch of a prefix: one stream at a time, resumed at another member when it breaks or falls silent. */
import type { WatchEvent, WatchListener } from './api.js'
import type { Members } from './attempts.js'
import { WATCH, type WatchRequest, type WatchResponse } from './etcdMessages.js'
import { CallError, type Connection, type Stream } from './wire.js'
import type { Log } from '../../../base/log.js'

/** Interval of requests for a sign that the member is alive. */
const PROGRESS_MS = 1000
/** Number of intervals without a message after which a stream is abandoned. */
const MAX_SILENT_INTERVALS = 3
const CONNECT_MS = 1500
const MIN_PAUSE_MS = 50
const MAX_PAUSE_MS = 1000
/** A stream that ends earlier has failed to be of use: the next one begins after a longer pause. */
const MIN_LIFE_MS = 1000

interface WatchDeps {
  members: Members
  log: Log
  /** Reads the current revision of the store, as a majority knows it. Rejects without one. */
  currentRevision(): Promise<number>
}

/** Result of one stream: changes may be missing, or the cause of its end. */
type StreamEnd = { isLost: true } | { isLost: false; cause: string }

/** Follows the changes of a prefix after a revision. Returns a function that stops. */
export function startWatch({ members, log, currentRevision }: WatchDeps, prefix: string, afterRevision: number, listener: WatchListener): () => void {
  /**
   * Revision of the last event that was delivered. Progress notifications do not raise it: in etcd up to 3.4.24 and 3.5.7,
   * they may precede events of earlier revisions (etcd#15220).
   */
  let after = afterRevision
  let clusterId: string | undefined
  let isInterrupted = false
  let isStopped = false
  let abandon: (() => void) | undefined
  let wake: (() => void) | undefined

  function deliver(events: readonly WatchEvent[]): void {
    const last = events.at(-1)
    if (last === undefined || isStopped) return
    after = last.revision
    try {
      listener.changed(events)
    } catch (error) {
      log.error('A listener of etcd changes failed', { error: String(error) })
    }
  }

  /** Runs one stream until it ends. */
  function follow(connection: Connection): Promise<StreamEnd> {
    return new Promise((resolve) => {
      let stream: Stream<WatchRequest> | undefined
      let isEnded = false
      let silentIntervals = 0
      /** Events of the last revision of a fragment: more of that revision may follow. */
      let held: WatchEvent[] = []

      const end = (result: StreamEnd): void => {
        if (isEnded) return
        isEnded = true
        clearInterval(timer)
        abandon = undefined
        stream?.cancel()
        resolve(result)
      }
      const breakOff = (cause: string): void => end({ isLost: false, cause })
      abandon = () => breakOff('stopped')

      // Counts intervals, not time: after a pause of this process, the messages of that time are read first.
      const timer = setInterval(() => {
        silentIntervals += 1
        if (silentIntervals > MAX_SILENT_INTERVALS) breakOff('no message')
        else stream?.send({ isProgress: true })
      }, PROGRESS_MS)

      function received(response: WatchResponse): void {
        silentIntervals = 0
        if (response.isCanceled) {
          if (response.compactRevision > 0) end({ isLost: true })
          else breakOff(response.cancelReason === '' ? 'canceled' : response.cancelReason)
          return
        }
        if (response.isCreated) created(response)
        if (isEnded) return
        const events = [...held, ...response.events.filter(({ revision }) => revision > after)]
        const last = events.at(-1)?.revision
        const complete = response.isFragment ? events.filter(({ revision }) => revision !== last) : events
        held = response.isFragment ? events.slice(complete.length) : []
        deliver(complete)
      }

      function created({ header }: WatchResponse): void {
        if (clusterId !== undefined && clusterId !== header.clusterId) return end({ isLost: true })
        clusterId = header.clusterId
        if (isInterrupted) log.info('A watch of etcd continues', { prefix, endpoint: connection.endpoint })
        isInterrupted = false
        if (header.revision >= after) return
        // Either this member is behind, or the cluster was restored from a backup and would deliver nothing until it has caught up.
        currentRevision().then(
          (revision) => revision < after && end({ isLost: true }),
          (error: unknown) => breakOff(String(error)),
        )
      }

      connection
        .open(WATCH, { timeoutMs: CONNECT_MS, needsLeader: true }, { received, ended: (error) => breakOff(error.message) })
        .then(
          (opened) => {
            stream = opened
            if (isEnded) stream.cancel()
            else stream.send({ prefix, startRevision: after + 1 })
          },
          (error: unknown) => breakOff(error instanceof CallError ? error.message : String(error)),
        )
    })
  }

  async function pause(ms: number): Promise<void> {
    if (isStopped) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms)
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    wake = undefined
  }

  /** Lets the listener read the prefix again, until it succeeds. */
  async function recover(): Promise<void> {
    log.info('Changes of etcd may be missing; their keys are read again', { prefix })
    for (let ms = MIN_PAUSE_MS; !isStopped; ms = Math.min(2 * ms, MAX_PAUSE_MS)) {
      try {
        after = await listener.lost()
        clusterId = undefined
        return
      } catch (error) {
        log.warn('The keys of etcd could not be read again', { prefix, error: String(error) })
        await pause(ms)
      }
    }
  }

  async function run(): Promise<void> {
    let pauseMs = MIN_PAUSE_MS
    while (!isStopped) {
      const connection = members.preferred()
      const start = performance.now()
      const result = await follow(connection)
      if (isStopped) return
      pauseMs = performance.now() - start > MIN_LIFE_MS ? MIN_PAUSE_MS : Math.min(2 * pauseMs, MAX_PAUSE_MS)
      if (result.isLost) await recover()
      else noteInterruption(connection, result.cause)
      await pause(pauseMs)
    }
  }

  function noteInterruption(connection: Connection, cause: string): void {
    members.noteFailure(connection)
    const level = isInterrupted ? 'debug' : 'info'
    log[level]('A watch of etcd is interrupted', { prefix, endpoint: connection.endpoint, cause })
    isInterrupted = true
  }

  void run()
  return () => {
    isStopped = true
    abandon?.()
    wake?.()
  }
}
