/** All pages of the node. */
import { createManagedPage } from './actFor/create.js'
import { actForPage } from './actFor/page.js'
import { apiPage } from './api/page.js'
import { donePage } from './authorize/done.js'
import { authorizePage } from './authorize/page.js'
import { accountsPage } from './console/accountsPage.js'
import { activityPage } from './console/activity/page.js'
import { chartsPage } from './console/charts/chartsPage.js'
import { chartDataPage } from './console/charts/dataPage.js'
import { editEventPage } from './console/event/editPage.js'
import { eventPage } from './console/event/eventPage.js'
import { newEventPage } from './console/event/newPage.js'
import { filePage } from './console/files/filePage.js'
import { filesPage } from './console/files/filesPage.js'
import { uploadPage } from './console/files/uploadPage.js'
import { livePage } from './console/livePage.js'
import { growthImage } from './console/overview/growthImage.js'
import { overviewPage } from './console/overview/page.js'
import { answerPage } from './console/people/answerPage.js'
import { changePage } from './console/people/changePage.js'
import { consentPage } from './console/people/consentPage.js'
import { consentsPage } from './console/people/consentsPage.js'
import { delegationsPage } from './console/people/delegationsPage.js'
import { endDelegationPage } from './console/people/endDelegationPage.js'
import { linkPage } from './console/people/linkPage.js'
import { appsPage, linksPage } from './console/people/listPages.js'
import { newLinkPage } from './console/people/newLinkPage.js'
import { onePage } from './console/people/onePage.js'
import { requestsPage } from './console/people/requestsPage.js'
import { withdrawPage } from './console/people/withdrawPage.js'
import { signOutPage } from './console/signOutPage.js'
import { oauthConsentPage } from './oauthConsent/page.js'
import { openPage } from './open/page.js'
import type { Page } from './page.js'
import { registerPage } from './register/page.js'
import { askResetPage } from './resetPassword/ask.js'
import { chooseResetPage } from './resetPassword/choose.js'
import { secondFactorPage } from './secondFactor/page.js'
import { secondFactorSetUpPage } from './secondFactorSetUp/page.js'
import { sharedFilePage } from './sharedLink/filePage.js'
import { sharedLinkPage } from './sharedLink/page.js'
import { sharedPage } from './sharedLink/sharedPage.js'
import { signInPage } from './signIn/page.js'
import { thirdPartyPage } from './thirdParty/page.js'
import { verifyEmailPage } from './verifyEmail/page.js'
import { welcomePage } from './welcome/page.js'

export const pages: readonly Page[] = [
  accountsPage,
  actForPage,
  activityPage,
  answerPage,
  apiPage,
  appsPage,
  askResetPage,
  authorizePage,
  changePage,
  chartDataPage,
  chartsPage,
  chooseResetPage,
  consentPage,
  consentsPage,
  createManagedPage,
  delegationsPage,
  donePage,
  endDelegationPage,
  editEventPage,
  eventPage,
  filePage,
  filesPage,
  growthImage,
  linkPage,
  linksPage,
  livePage,
  newLinkPage,
  newEventPage,
  oauthConsentPage,
  onePage,
  openPage,
  overviewPage,
  registerPage,
  requestsPage,
  secondFactorPage,
  secondFactorSetUpPage,
  sharedFilePage,
  sharedLinkPage,
  sharedPage,
  signInPage,
  signOutPage,
  thirdPartyPage,
  uploadPage,
  verifyEmailPage,
  welcomePage,
  withdrawPage,
]
