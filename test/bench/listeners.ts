/**
 * Many WebSocket clients in a separate process, so that they are no part of the measured node. Started by
 * `startListeners` (sockets.ts), which sends commands over the IPC channel.
 */
import { Agent } from 'node:http'
import { io, type Socket } from 'socket.io-client'
import { post, type Post } from './post.js'
import type { ListenerCommand, ListenerReply } from './sockets.js'

/** Maximum number of concurrent handshakes, which are not measured here. */
const AT_ONCE = 50
const MAX_MS = 20_000

let sockets: Socket[] = []
const agent = new Agent({ keepAlive: true })

function connect(address: string): Promise<Socket> {
  const socket = io(address, { transports: ['websocket'], forceNew: true, reconnection: false })
  return new Promise((resolve, reject) => {
    socket.once('connect', () => resolve(socket))
    socket.once('connect_error', (error) => reject(new Error(`${address}: ${error.message}`)))
  })
}

async function connectAll(addresses: readonly string[]): Promise<void> {
  for (let at = 0; at < addresses.length; at += AT_ONCE) {
    sockets.push(...(await Promise.all(addresses.slice(at, at + AT_ONCE).map(connect))))
  }
}

async function disconnectAll(): Promise<void> {
  const ended = sockets.map((socket) => new Promise((resolve) => socket.once('disconnect', resolve)))
  for (const socket of sockets) socket.disconnect()
  await Promise.all(ended)
  sockets = []
}

/** Sends a request; returns the milliseconds until every socket received eventsChanged. */
async function broadcast(change: Post): Promise<number> {
  let missing = sockets.length
  const received = new Promise<number>((resolve, reject) => {
    const timeout = setTimeout(() => reject(new Error(`${missing} sockets received no message`)), MAX_MS)
    for (const socket of sockets) {
      socket.once('eventsChanged', () => {
        missing -= 1
        if (missing > 0) return
        clearTimeout(timeout)
        resolve(performance.now())
      })
    }
  })
  const begun = performance.now()
  await post(agent, change)
  return (await received) - begun
}

async function execute(command: ListenerCommand): Promise<number> {
  if (command.do === 'connect') await connectAll(command.addresses)
  else if (command.do === 'disconnect') await disconnectAll()
  else return broadcast(command.change)
  return sockets.length
}

const reply = (result: ListenerReply): void => void process.send?.(result)

process.on('message', (command: ListenerCommand) => {
  execute(command).then(
    (value) => reply({ value }),
    (error: unknown) => reply({ error: String(error) }),
  )
})
process.on('disconnect', () => process.exit())
