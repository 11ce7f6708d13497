/**
 * Script of uploads: progressive enhancement only. `form[data-upload]` is sent with a progress bar; `[data-drop]` takes dropped files
 * for its first file input. `data-failed`: text after a lost connection; `data-sending`: label of the progress bar.
 */
export const uploadScriptText = `
'use strict'
for (const form of document.querySelectorAll('form[data-upload]')) {
  const zone = form.querySelector('[data-drop]')
  const input = zone.querySelector('input[type=file]')
  const hint = document.createElement('p')
  hint.className = 'soft small'
  hint.textContent = zone.dataset.drop
  zone.append(hint)
  const over = (event) => { event.preventDefault(); zone.classList.add('over') }
  zone.addEventListener('dragenter', over)
  zone.addEventListener('dragover', over)
  zone.addEventListener('dragleave', (event) => { if (!zone.contains(event.relatedTarget)) zone.classList.remove('over') })
  zone.addEventListener('drop', (event) => {
    event.preventDefault()
    zone.classList.remove('over')
    if (event.dataTransfer.files.length === 0) return
    const all = new DataTransfer()
    for (const file of [...input.files, ...event.dataTransfer.files]) all.items.add(file)
    input.files = all.files
    input.dispatchEvent(new Event('change', { bubbles: true }))
  })
  const status = document.createElement('div')
  status.setAttribute('role', 'status')
  form.append(status)
  form.addEventListener('submit', (event) => {
    if (event.defaultPrevented || event.submitter && event.submitter.name === 'search') return
    // Without a file, the page answers at once.
    if (![...form.querySelectorAll('input[type=file]')].some(({ files }) => files.length > 0)) return
    event.preventDefault()
    const bar = document.createElement('progress')
    bar.max = 1
    bar.value = 0
    bar.setAttribute('aria-label', form.dataset.sending)
    const text = document.createElement('p')
    text.className = 'small'
    text.textContent = form.dataset.sending + ' …'
    status.replaceChildren(text, bar)
    const request = new XMLHttpRequest()
    request.upload.addEventListener('progress', ({ loaded, total, lengthComputable }) => { if (lengthComputable) bar.value = loaded / total })
    const again = () => {
      delete form.dataset.sent
      for (const button of form.querySelectorAll('button')) button.disabled = false
    }
    request.addEventListener('error', () => {
      const problem = document.createElement('p')
      problem.className = 'problem'
      problem.textContent = form.dataset.failed
      status.replaceChildren(problem)
      setTimeout(again)
    })
    request.addEventListener('load', () => {
      if (request.status < 400) return location.assign(request.responseURL)
      const copy = new DOMParser().parseFromString(request.responseText, 'text/html')
      const problem = copy.querySelector('[role=alert]')
      if (problem) status.replaceChildren(document.importNode(problem, true))
      else status.textContent = form.dataset.failed
      again()
    })
    request.open('POST', form.action)
    request.send(new FormData(form))
  })
}
`
