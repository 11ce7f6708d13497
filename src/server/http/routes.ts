/** Maps verbs and paths below the root of an account or of the node to methods. */
import { RegExpRouter } from 'hono/router/reg-exp-router'
import { SmartRouter } from 'hono/router/smart-router'
import { TrieRouter } from 'hono/router/trie-router'
import { Failure } from '../../store/model/failure.js'
import type { Method } from '../call/method.js'
import { decode } from './address.js'
import type { Node } from '../index.js'

interface Route {
  method: Method<Node>
  /** Names of path parameters. */
  names: string[]
}

export interface Routes {
  /** Routes without parameters, which are called most, by `<verb> <path>`. */
  fixed: Map<string, Route>
  /** Routes whose last parameter has a suffix: `/events/:id.jpg`. */
  endings: { verb: string; before: string; ending: string; route: Route }[]
  router: SmartRouter<Route>
}

/** Returns the routes of methods. If two match a path, the one with fewer parameters applies. */
export function routesOf(methods: readonly Method<Node>[]): Routes {
  const fixed = new Map<string, Route>()
  const endings: Routes['endings'] = []
  const router = new SmartRouter<Route>({ routers: [new RegExpRouter(), new TrieRouter()] })
  const open: { verb: string; path: string; route: Route }[] = []
  for (const method of methods) {
    const { verb } = method.http
    for (const path of [method.http.path, ...(method.http.aliases ?? [])]) {
      const names = [...path.matchAll(/:(\w+)/g)].map((match) => match[1] ?? '')
      const route = { method, names }
      const [, before, ending] = /^([^:]*):\w+(\.\w+)$/.exec(path) ?? []
      if (names.length === 0) fixed.set(`${verb} ${path}`, route)
      else if (before !== undefined && ending !== undefined) endings.push({ verb, before, ending, route })
      else open.push({ verb, path, route })
    }
  }
  open.sort((a, b) => a.route.names.length - b.route.names.length)
  for (const { verb, path, route } of open) router.add(verb, path, route)
  return { fixed, endings, router }
}

export interface RouteMatch {
  method: Method<Node>
  /** Decoded path parameters. */
  parameters: Record<string, string>
}

/**
 * Returns the method at a path.
 * @throws Failure `unknown-resource`
 */
export function matchRoute(routes: Routes, verb: string, path: string): RouteMatch {
  const found = findRoute(routes, verb, path)
  if (found === undefined) throw new Failure('unknown-resource', `There is nothing at ${verb} ${path}.`)
  return found
}

/** Returns the method at a path; undefined if there is none. */
export function findRoute(routes: Routes, verb: string, path: string): RouteMatch | undefined {
  const fixed = routes.fixed.get(`${verb} ${path}`)
  if (fixed !== undefined) return { method: fixed.method, parameters: {} }
  for (const { verb: own, before, ending, route } of routes.endings) {
    if (!path.endsWith(ending) || own !== verb || !path.startsWith(before)) continue
    const value = path.slice(before.length, -ending.length)
    if (value !== '' && !value.includes('/')) return { method: route.method, parameters: { [route.names[0] ?? '']: decode(value) } }
  }
  const [handlers, stash] = routes.router.match(verb, path)
  const [first] = handlers
  if (first === undefined) return undefined
  const [route, found] = first
  const parameters: Record<string, string> = {}
  for (const name of route.names) {
    const value = found[name]
    const text = typeof value === 'number' ? stash?.[value] : value
    if (text !== undefined) parameters[name] = decode(text)
  }
  return { method: route.method, parameters }
}
