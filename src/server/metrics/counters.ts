/** Counters of a running node. Hot paths only increment numbers here. */
import { Failure } from '../../store/model/failure.js'
import { createHistogram, observe, type Histogram } from '../../store/engine/histogram.js'
import type { CallCounters } from '../call/context.js'
import { statusOf } from '../base/status.js'
import type { Traffic } from '../sync/traffic.js'
import { NO_METHOD, type CallOutcome } from './vocabulary.js'

/** Statistics of one method. */
interface CallFigures extends Record<CallOutcome, number> {
  readonly seconds: Histogram
}

export interface Counters extends CallCounters {
  /** Statistics by method id; methods without calls have none. */
  readonly calls: ReadonlyMap<string, CallFigures>
  readonly traffic: Traffic
  readonly webhooks: { sent: number; failed: number; stopped: number }
  websockets: number
  /** Counts a call that was rejected before its method ran; without `method` if it matches none. */
  refused(error: unknown, method?: string): void
}

/** Needed by functions that count more than calls of methods. */
export interface MetricsDeps {
  readonly metrics: Counters
}

const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

export function createCounters(): Counters {
  const calls = new Map<string, CallFigures>()

  function of(method: string): CallFigures {
    let figures = calls.get(method)
    if (figures === undefined) {
      figures = { ok: 0, refused: 0, unavailable: 0, failed: 0, seconds: createHistogram(SECONDS) }
      calls.set(method, figures)
    }
    return figures
  }

  function observeDuration(figures: CallFigures, began: number): void {
    observe(figures.seconds, (performance.now() - began) / 1000)
  }

  return {
    calls,
    traffic: { sent: 0, received: 0 },
    webhooks: { sent: 0, failed: 0, stopped: 0 },
    websockets: 0,
    succeeded(method, began) {
      const figures = of(method)
      figures.ok += 1
      observeDuration(figures, began)
    },
    failed(method, began, error) {
      const figures = of(method)
      figures[outcomeOf(error)] += 1
      observeDuration(figures, began)
    },
    refused(error, method = NO_METHOD) {
      of(method)[outcomeOf(error)] += 1
    },
  }
}

/** Returns the outcome of an error; errors of other protocols carry a status as well. */
function outcomeOf(error: unknown): CallOutcome {
  let status = 500
  if (error instanceof Failure) status = statusOf(error)
  else if (error instanceof Error && 'status' in error && typeof error.status === 'number') ({ status } = error as { status: number })
  if (status === 500) return 'failed'
  return status > 500 ? 'unavailable' : 'refused'
}
