/** Network namespaces joined by a switch, which can be cut off from each other; the tests reach each by a link of its own. */
import { execFileSync } from 'node:child_process'
import type { CleanUp } from '../../acceptance/support/coffer.js'

const ip = (line: string): void => void execFileSync('ip', line.split(' '), { stdio: ['ignore', 'ignore', 'pipe'] })

export interface CoreNetwork {
  /** Name of the namespace. */
  name: string
  /** Address for the other namespaces. */
  address: string
  /** Address for the tests, which no cut affects. */
  seen: string
}

export interface CoreNetworks {
  networks: CoreNetwork[]
  /** Cuts a namespace off from the others. */
  cut(index: number): void
  heal(index: number): void
  /** Drops what a namespace sends to another one. */
  drop(from: number, to: number): void
  undrop(from: number, to: number): void
}

/** Creates namespaces and their network; undefined without permission. They are removed by `cleanUp`. */
export function createCoreNetworks(count: number, cleanUp: CleanUp): CoreNetworks | undefined {
  const tag = `cn${process.pid}`
  const networks = Array.from({ length: count }, (_, n): CoreNetwork => ({ name: `${tag}-${n}`, address: `10.79.0.${n + 1}`, seen: `10.78.${n + 1}.2` }))
  const hub = `${tag}-hub`
  try {
    for (const name of [hub, ...networks.map((network) => network.name)]) {
      ip(`netns add ${name}`)
      cleanUp(() => ip(`netns del ${name}`))
    }
    ip(`-n ${hub} link add switch type bridge`)
    ip(`-n ${hub} link set switch up`)
  } catch {
    return undefined
  }
  for (const [n, { name, address, seen }] of networks.entries()) {
    ip(`link add ${tag}t${n} type veth peer name tests netns ${name}`)
    ip(`addr add 10.78.${n + 1}.1/30 dev ${tag}t${n}`)
    ip(`link set ${tag}t${n} up`)
    ip(`-n ${name} addr add ${seen}/30 dev tests`)
    ip(`-n ${name} link add cores type veth peer name port${n} netns ${hub}`)
    ip(`-n ${name} addr add ${address}/24 dev cores`)
    ip(`-n ${hub} link set port${n} master switch`)
    ip(`-n ${hub} link set port${n} up`)
    for (const device of ['lo', 'tests', 'cores']) ip(`-n ${name} link set ${device} up`)
  }
  const route = (what: string, from: number, to: number): void => ip(`-n ${networks[from]?.name} route ${what} blackhole ${networks[to]?.address}/32`)
  return {
    networks,
    cut: (index) => ip(`-n ${hub} link set port${index} down`),
    heal: (index) => ip(`-n ${hub} link set port${index} up`),
    drop: (from, to) => route('add', from, to),
    undrop: (from, to) => route('del', from, to),
  }
}
