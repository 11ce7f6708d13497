/** A core in a process of its own, which answers many commands at the same time, and is killed, frozen and started again. */
import { spawn, type ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { bundled } from '../../../crash/bundled.js'
import { CLAIM_SETTINGS, type CommandBody, type CoreReply, type CoreSettings } from './commands.js'

const PROGRAM = fileURLToPath(new URL('claimCore.ts', import.meta.url))

/** The process ended before it answered. */
export class CoreEnded extends Error {}

export interface CoreProcess {
  readonly id: string
  readonly isUp: boolean
  /** Starts the core; rejects when it does not open. */
  start(): Promise<void>
  /** Sends a command. `onHeld` is called for the first answer to `hold`, with the id of the command. @throws CoreEnded */
  ask(command: CommandBody, onHeld?: (id: number) => void): Promise<CoreReply>
  kill(): Promise<void>
  freeze(): void
  thaw(): void
}

interface Waiting {
  resolve(reply: CoreReply): void
  reject(error: Error): void
  onHeld?: ((id: number) => void) | undefined
}

export function createCoreProcess(id: string, home: string, settings: CoreSettings): CoreProcess {
  let child: ChildProcess | undefined
  let isUp = false
  let ended = Promise.resolve()
  let count = 0
  let starts = 0
  const waiting = new Map<number, Waiting>()

  async function start(): Promise<void> {
    const flags = JSON.stringify({ 'core.id': id, 'core.url': 'http://127.0.0.1:9/' })
    // A process that is started again draws other numbers.
    const own = JSON.stringify({ ...settings, seed: settings.seed + (starts += 1) * 7919 })
    const started = spawn(process.execPath, [bundled(PROGRAM), home, flags], { stdio: ['pipe', 'pipe', 'inherit'], env: { ...process.env, [CLAIM_SETTINGS]: own } })
    child = started
    started.stdin.on('error', () => {})
    ended = new Promise((resolve) => started.once('exit', () => {
      isUp = false
      for (const { reject } of waiting.values()) reject(new CoreEnded(`core ${id} ended`))
      waiting.clear()
      resolve()
    }))
    await new Promise<void>((resolve, reject) => {
      void ended.then(() => reject(new CoreEnded(`core ${id} ended while it started`)))
      createInterface({ input: started.stdout }).on('line', (line) => {
        const reply = JSON.parse(line) as CoreReply & { ready?: true; url?: string; refused?: string; message?: string }
        if (reply.ready === true) started.stdin.write('open\n')
        else if (reply.url !== undefined) resolve()
        else if (reply.refused !== undefined) reject(new Error(`core ${id} does not open: ${reply.message}`))
        else answered(reply)
      })
    })
    isUp = true
  }

  function answered(reply: CoreReply): void {
    const asked = waiting.get(reply.id)
    if (reply.isHeld === true) return asked?.onHeld?.(reply.id)
    waiting.delete(reply.id)
    asked?.resolve(reply)
  }

  return {
    id,
    get isUp() {
      return isUp
    },
    start,
    ask(command, onHeld) {
      if (!isUp) return Promise.reject(new CoreEnded(`core ${id} is not running`))
      const number = (count += 1)
      child?.stdin?.write(`do ${JSON.stringify({ ...command, id: number })}\n`)
      return new Promise((resolve, reject) => waiting.set(number, { resolve, reject, onHeld }))
    },
    async kill() {
      child?.kill('SIGKILL')
      await ended
    },
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
  }
}
