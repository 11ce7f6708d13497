/**
 * Thousands of websockets of one node: they come in a storm, are told of a change, lose their right within a second, and
 * leave nothing. Part of the long programme: LONG=1.
 */
import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { nodeProcesses } from '../crash/process.js'
import { expectSound } from '../support/store/check.js'
import { homes } from '../support/nodes/home.js'
import { request } from '../support/nodes/node.js'
import { LONG } from './support/needs.js'

/** Both ends, each a process of its own, need a descriptor for each, and some for themselves. */
const DESCRIPTORS = LONG && process.platform === 'linux' ? Number(/^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? 1024) : 1024
const SOCKETS = Number(process.env['SOCKETS'] ?? Math.min(10_000, DESCRIPTORS - 500))
/** Sockets that connect at the same time. */
const STORM = 100
/** What one may cost, with what the engine does not give back at once. */
const KB_EACH = 100
const { home } = homes()
const startProcess = nodeProcesses()

const figure = (pid: number, name: string): number => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? NaN)

/** A socket of the protocol below socket.io, as small as it can be: this process holds thousands of them. */
function open(url: string, token: string): Promise<{ socket: WebSocket; told: () => number; isClosed: () => boolean }> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}socket.io/?EIO=4&transport=websocket&auth=${token}`)
  let told = 0
  let isClosed = false
  return new Promise((resolve, reject) => {
    socket.on('error', reject)
    socket.on('close', () => (isClosed = true))
    socket.on('message', (data: Buffer) => {
      const text = data.toString()
      if (text.startsWith('0')) socket.send('40/alice,')
      else if (text === '2') socket.send('3')
      else if (text.startsWith('40/alice')) resolve({ socket, told: () => told, isClosed: () => isClosed })
      else if (text.startsWith('42/alice')) told += 1
      else if (text.startsWith('41/alice')) isClosed = true
      else if (text.startsWith('44')) reject(new Error(text))
    })
  })
}

it.runIf(LONG && process.platform === 'linux')(`${SOCKETS} websockets`, { timeout: 240_000 }, async () => {
  const places = await home()
  const node = await startProcess(places.home)
  const { url = '' } = await node.open()
  const body = { username: 'alice', password: 'correct horse', email: 'alice@example.org', appId: 'test-app' }
  const token = String((await request(`${url}users`, { body })).body['token'])
  const call = (path: string, sent?: unknown, method = 'POST'): ReturnType<typeof request> =>
    request(`${url}alice/${path}`, { token, method, ...(sent === undefined ? {} : { body: sent }) })
  await call('streams', { id: 's', name: 's' })
  const access = (await call('accesses', { name: 'app', permissions: [{ streamId: 's', level: 'read' }] })).body['access'] as { id: string; token: string }

  async function all(count: number): Promise<Awaited<ReturnType<typeof open>>[]> {
    const sockets = []
    for (let at = 0; at < count; at += STORM) sockets.push(...(await Promise.all(Array.from({ length: Math.min(STORM, count - at) }, () => open(url, access.token)))))
    return sockets
  }
  // What is loaded with the first ones is nobody's share.
  for (const { socket } of await all(50)) socket.close()
  await pause(1000)
  const before = figure(node.pid, 'VmRSS')
  const sockets = await all(SOCKETS)
  const each = (figure(node.pid, 'VmRSS') - before) / SOCKETS

  await call('events', { streamIds: ['s'], type: 'note/txt', content: 'x' })
  for (let tries = 0; tries < 500 && sockets.some(({ told }) => told() === 0); tries++) await pause(20)
  expect(sockets.filter(({ told }) => told() === 0)).toHaveLength(0)
  // A third is gone without a word.
  for (const { socket } of sockets.slice(0, Math.floor(SOCKETS / 3))) socket.terminate()
  expect((await call(`accesses/${access.id}`, undefined, 'DELETE')).status).toBe(200)
  await pause(1000)
  expect(sockets.filter(({ isClosed }) => !isClosed())).toHaveLength(0)
  const { told } = { told: sockets.map((one) => one.told()) }
  await call('events', { streamIds: ['s'], type: 'note/txt', content: 'y' })
  await pause(300)
  expect(sockets.map((one) => one.told())).toEqual(told)
  for (const { socket } of sockets) socket.terminate()

  // A second storm finds the room that the first one had.
  const again = (await call('accesses', { name: 'again', permissions: [{ streamId: 's', level: 'read' }] })).body['access'] as { token: string }
  access.token = again.token
  await pause(1000)
  const second = await all(SOCKETS)
  const grown = (figure(node.pid, 'VmRSS') - before) / SOCKETS
  for (const { socket } of second) socket.terminate()
  console.log(JSON.stringify({ sockets: SOCKETS, kbEach: Math.round(each), kbEachOfTheSecond: Math.round(grown) }))
  expect(each).toBeLessThan(KB_EACH)
  expect(grown).toBeLessThan(KB_EACH * 1.5)
  await node.close()
  await node.kill()
  await expectSound(places)
})
