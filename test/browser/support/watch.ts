/** Rules for pages in all tests: they must not call other hosts, violate their own policy, or throw. */
import type { BrowserContext, ConsoleMessage, Request, Response } from 'playwright-core'

export interface Watch {
  /** Returns the problems since the last call, one line each. */
  problems(): string[]
}

const originOf = (url: string): string => {
  try {
    return new URL(url).origin
  } catch {
    return url
  }
}

/** Console message of Chromium about an HTTP error; the response is checked instead. */
const ABOUT_STATUS = /^Failed to load resource: the server responded with a status of/

const isOwnScheme = (url: string): boolean => /^(data|blob|about):/.test(url)

/**
 * Watches all pages of a context, including pop-ups. Documents may come from `origins` and `apps`. A document of `origins`
 * may load resources only from its own origin; a document of `apps` may call all of them.
 */
export function watch(context: BrowserContext, origins: readonly string[], apps: readonly string[]): Watch {
  let problems: string[] = []
  const known = [...origins, ...apps]
  context.on('request', (request: Request) => {
    const url = request.url()
    const to = originOf(url)
    if (isOwnScheme(url)) return
    if (!known.includes(to)) return void problems.push(`asks another host: ${request.method()} ${url}`)
    if (request.isNavigationRequest()) return
    const from = originOf(frameUrl(request))
    if (origins.includes(from) && to !== from) problems.push(`a page of ${from} asks ${url}`)
  })
  context.on('response', (response: Response) => {
    const request = response.request()
    if (response.status() < 400 || request.isNavigationRequest()) return
    if (!apps.includes(originOf(frameUrl(request)))) problems.push(`${response.status()} for ${response.url()}`)
  })
  context.on('console', (message: ConsoleMessage) => {
    if (message.type() !== 'error' || ABOUT_STATUS.test(message.text())) return
    problems.push(`the console of ${message.page()?.url() ?? 'a page'} says: ${message.text()}`)
  })
  context.on('weberror', (error) => problems.push(`a script failed: ${error.error().message}`))
  return {
    problems() {
      const since = problems
      problems = []
      return since
    },
  }
}

function frameUrl(request: Request): string {
  try {
    return request.frame().url()
  } catch {
    // The page of the request is already closed.
    return ''
  }
}
