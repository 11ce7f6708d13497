/**
 * Many websocket clients in a process of their own, so that what they need is no part of a measured node. Run by
 * `startListeners` (sockets.ts), which asks over the channel between the processes.
 */
import { Agent } from 'node:http'
import { io, type Socket } from 'socket.io-client'
import { post, type Post } from './post.js'
import type { Asked, Told } from './sockets.js'

/** Handshakes under way at a time: a storm of them is another measurement. */
const AT_ONCE = 50
const MAX_MS = 20_000

let sockets: Socket[] = []
const agent = new Agent({ keepAlive: true })

function connect(address: string): Promise<Socket> {
  const socket = io(address, { transports: ['websocket'], forceNew: true, reconnection: false })
  return new Promise((give, fail) => {
    socket.once('connect', () => give(socket))
    socket.once('connect_error', (error) => fail(new Error(`${address}: ${error.message}`)))
  })
}

async function connectAll(addresses: readonly string[]): Promise<void> {
  for (let at = 0; at < addresses.length; at += AT_ONCE) {
    sockets.push(...(await Promise.all(addresses.slice(at, at + AT_ONCE).map(connect))))
  }
}

async function disconnectAll(): Promise<void> {
  const ended = sockets.map((socket) => new Promise((give) => socket.once('disconnect', give)))
  for (const socket of sockets) socket.disconnect()
  await Promise.all(ended)
  sockets = []
}

/** Milliseconds from sending a request until every socket was told that events changed. */
async function broadcast(change: Post): Promise<number> {
  let missing = sockets.length
  const told = new Promise<number>((give, fail) => {
    const late = setTimeout(() => fail(new Error(`${missing} sockets were not told`)), MAX_MS)
    for (const socket of sockets) {
      socket.once('eventsChanged', () => {
        missing -= 1
        if (missing > 0) return
        clearTimeout(late)
        give(performance.now())
      })
    }
  })
  const begun = performance.now()
  await post(agent, change)
  return (await told) - begun
}

async function answer(asked: Asked): Promise<number> {
  if (asked.do === 'connect') await connectAll(asked.addresses)
  else if (asked.do === 'disconnect') await disconnectAll()
  else return broadcast(asked.change)
  return sockets.length
}

const tell = (told: Told): void => void process.send?.(told)

process.on('message', (asked: Asked) => {
  answer(asked).then(
    (value) => tell({ value }),
    (error: unknown) => tell({ error: String(error) }),
  )
})
process.on('disconnect', () => process.exit())
