/** What pages must never do, whatever a test is about: call other hosts, break their own policy, throw. */
import type { BrowserContext, ConsoleMessage, Request, Response } from 'playwright-core'

export interface Watch {
  /** What went wrong since the last time this was asked, one line each. */
  problems(): string[]
}

const originOf = (url: string): string => {
  try {
    return new URL(url).origin
  } catch {
    return url
  }
}

/** Chromium's line about an answer that is no success; the answer itself is looked at instead. */
const ABOUT_STATUS = /^Failed to load resource: the server responded with a status of/

const isOwnScheme = (url: string): boolean => /^(data|blob|about):/.test(url)

/**
 * Watches all pages of a context, pop-ups too. Documents may come from `origins`; whatever a document of one loads must come
 * from the document's own origin, unless that is an `apps` one, which may call others as apps do.
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
    // A request of a page that is gone already.
    return ''
  }
}
