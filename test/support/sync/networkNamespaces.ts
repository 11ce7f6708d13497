/** Two network namespaces joined by a pair of virtual interfaces, which can be taken down, and each joined to this one. */
import { execFileSync } from 'node:child_process'
import type { CleanUp } from '../../acceptance/support/coffer.js'
import type { Place } from './nodeProcesses.js'
import type { Way } from './faults.js'

const PORT = 4747

const ip = (line: string): void => void execFileSync('ip', line.split(' '), { stdio: ['ignore', 'ignore', 'pipe'] })

/**
 * Creates the namespaces, with the places of two nodes in them, and the network between these; undefined without permission.
 * Nodes reach each other through the pair alone.
 */
export function joinedNamespaces(cleanUp: CleanUp): { places: [Place, Place]; way: Way } | undefined {
  const tag = `cf${process.pid}`
  const sides = (['a', 'b'] as const).map((side, n) => ({ name: `${tag}${side}`, n, side }))
  try {
    for (const { name } of sides) {
      ip(`netns add ${name}`)
      cleanUp(() => ip(`netns del ${name}`))
    }
  } catch {
    return undefined
  }
  const [a, b] = sides.map(({ name }) => name) as [string, string]
  ip(`-n ${a} link add pair type veth peer name pair netns ${b}`)
  for (const { name, n, side } of sides) {
    ip(`link add ${tag}${side} type veth peer name tests netns ${name}`)
    ip(`addr add 10.77.${n + 1}.1/30 dev ${tag}${side}`)
    ip(`link set ${tag}${side} up`)
    ip(`-n ${name} addr add 10.77.${n + 1}.2/30 dev tests`)
    ip(`-n ${name} addr add 10.77.0.${n + 1}/30 dev pair`)
    for (const device of ['lo', 'tests', 'pair']) ip(`-n ${name} link set ${device} up`)
  }
  const place = (name: string, n: number): Place => ({
    network: name,
    port: PORT,
    listens: '0.0.0.0',
    seen: `http://10.77.${n + 1}.2:${PORT}/`,
    address: `http://10.77.0.${n + 1}:${PORT}/`,
  })
  return {
    places: [place(a, 0), place(b, 1)],
    way: { cut: () => ip(`-n ${a} link set pair down`), heal: () => ip(`-n ${a} link set pair up`) },
  }
}
