/** Multicast DNS over IPv4 (RFC 6762): packets to and from the network of each interface. */
import { createSocket, type Socket } from 'node:dgram'
import { networkInterfaces } from 'node:os'
import { decode, encode, type DecodedPacket, type Packet } from 'dns-packet'

interface Multicast {
  /**
   * Calls `onPacket` with each decoded packet and the address of its sender; what is malformed or too large is ignored. A
   * packet may arrive several times.
   */
  listen(onPacket: (packet: DecodedPacket, sender: string) => void): void
  /** Sends a packet on all interfaces. Rejects with MulticastUnavailable when none sends it. */
  send(packet: Packet): Promise<void>
  close(): Promise<void>
}

export interface MulticastOptions {
  /** IPv4 addresses of interfaces; default: those of all networks of this machine. */
  interfaces?: readonly string[]
  /** UDP port; default: 5353. */
  port?: number
}

/** Error for a machine without multicast; the message says why. */
export class MulticastUnavailable extends Error {}

const GROUP = '224.0.0.251'
const PORT = 5353
/** Required of packets by RFC 6762, 11. */
const TTL = 255
const MAX_INTERFACES = 16
/** Larger packets are not decoded. An announcement has fewer bytes, and fits into one frame of Ethernet. */
const MAX_PACKET_BYTES = 1500

/** Returns the IPv4 addresses of this machine, those of its loopback interface included or not. */
export function ownAddresses({ loopback }: { loopback: boolean }): string[] {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  return all.filter(({ family, internal }) => family === 'IPv4' && (loopback || !internal)).map(({ address }) => address)
}

/**
 * Joins the group on each interface.
 * @throws MulticastUnavailable when there is no network, or no interface of it has multicast
 */
export async function openMulticast({ interfaces, port = PORT }: MulticastOptions): Promise<Multicast> {
  const addresses = (interfaces ?? ownAddresses({ loopback: false })).slice(0, MAX_INTERFACES)
  if (addresses.length === 0) throw new MulticastUnavailable('This machine has no network interface with an IPv4 address.')
  const opened = await Promise.allSettled(addresses.map((address) => openSocket(address, port)))
  const sockets = opened.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  if (sockets.length === 0) throw unavailable(opened)
  return {
    listen(onPacket) {
      for (const socket of sockets) {
        socket.on('message', (bytes, { address }) => {
          const packet = bytes.length > MAX_PACKET_BYTES ? undefined : decoded(bytes)
          if (packet !== undefined) onPacket(packet, address)
        })
      }
    },
    async send(packet) {
      const bytes = encode(packet)
      const sent = await Promise.allSettled(sockets.map((socket) => sendOn(socket, bytes, port)))
      if (sent.every(({ status }) => status === 'rejected')) throw unavailable(sent)
    },
    close: async () => void (await Promise.all(sockets.map((socket) => new Promise<void>((resolve) => socket.close(resolve))))),
  }
}

/** A socket for each interface, because each sends on one. */
function openSocket(address: string, port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = createSocket({ type: 'udp4', reuseAddr: true })
    const fail = (error: Error): void => {
      socket.close()
      reject(error)
    }
    socket.once('error', fail)
    socket.bind(port, () => {
      try {
        socket.addMembership(GROUP, address)
        socket.setMulticastInterface(address)
        socket.setMulticastTTL(TTL)
        // Two nodes may be on one machine.
        socket.setMulticastLoopback(true)
      } catch (error) {
        return fail(error instanceof Error ? error : new Error(String(error)))
      }
      socket.off('error', fail)
      // Errors of sending are those of `send`.
      socket.on('error', () => undefined)
      resolve(socket)
    })
  })
}

const sendOn = (socket: Socket, bytes: Buffer, port: number): Promise<void> =>
  new Promise((resolve, reject) => socket.send(bytes, port, GROUP, (error) => (error === null ? resolve() : reject(error))))

function unavailable(results: readonly PromiseSettledResult<unknown>[]): MulticastUnavailable {
  const reasons = results.flatMap((one) => (one.status === 'rejected' ? [one.reason as NodeJS.ErrnoException] : []))
  return new MulticastUnavailable(`No network interface of this machine has multicast (${reasons[0]?.code ?? 'unknown error'}).`)
}

function decoded(bytes: Buffer): DecodedPacket | undefined {
  try {
    return decode(bytes)
  } catch {
    return undefined
  }
}
