"""Keys as vendors publish their form, each random.

``A`` letters and digits, ``h`` small hex, ``H`` large hex, ``a`` small letters and digits, ``U`` large
letters and digits, ``w`` letters, digits, dash and underscore, ``d`` digits, ``b`` base64, ``l`` letters,
each with a count; ``uuid`` is one.
"""

import re
from base64 import b64encode
from random import Random
from string import ascii_letters, ascii_lowercase, ascii_uppercase, digits

_SETS = {
    "A": ascii_letters + digits,
    "h": "0123456789abcdef",
    "H": "0123456789ABCDEF",
    "a": ascii_lowercase + digits,
    "U": ascii_uppercase + digits,
    "w": ascii_letters + digits + "-_",
    "d": digits,
    "b": ascii_letters + digits + "+/",
    "l": ascii_letters,
    "T": "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
}

FORMS = """
openai sk-proj-{A20}T3BlbkFJ{A20}
openai-long sk-proj-{w74}T3BlbkFJ{w74}
openai-old sk-{A20}T3BlbkFJ{A20}
openai-service sk-svcacct-{w74}T3BlbkFJ{w74}
deepseek sk-{h32}
anthropic sk-ant-api03-{w93}AA
anthropic-admin sk-ant-admin01-{w93}AA
anthropic-oauth sk-ant-oat01-{w93}AA
openrouter sk-or-v1-{h64}
groq gsk_{A52}
huggingface hf_{l34}
perplexity pplx-{A48}
xai xai-{A80}
replicate r8_{A37}
nvidia nvapi-{w64}
fireworks fw_{A24}
langsmith lsv2_pt_{h32}_{h10}
langfuse sk-lf-{uuid}
cerebras csk-{a48}
tavily tvly-dev-{A32}
pinecone pcsk_{A6}_{A60}
elevenlabs sk_{h48}
google-api AIza{w35}
google-oauth-secret GOCSPX-{w28}
google-access ya29.{w120}
google-refresh 1//0{w60}
github-pat ghp_{A36}
github-oauth gho_{A36}
github-user ghu_{A36}
github-app ghs_{A36}
github-refresh ghr_{A36}
github-fine github_pat_{A22}_{A59}
gitlab-pat glpat-{w20}
gitlab-trigger glptt-{h40}
gitlab-deploy gldt-{w20}
gitlab-runner glrt-{w20}
gitlab-job glcbt-{A2}_{w20}
gitlab-feed glft-{w20}
gitlab-mail glimt-{w25}
gitlab-agent glagent-{w50}
gitlab-oauth gloas-{h64}
gitlab-scim glsoat-{w20}
gitlab-registration GR1348941{w20}
bitbucket ATBB{A24}{H8}
atlassian ATATT3{w180}={H8}
sourcegraph sgp_{h16}_{h40}
npm npm_{A36}
pypi pypi-AgEIcHlwaS5vcmc{w120}
rubygems rubygems_{h48}
nuget oy2{a43}
docker dckr_pat_{w27}
clojars CLOJARS_{a60}
crates cio{A32}
artifactory AKCp{A69}
buildkite bkua_{h40}
circleci CCIPAT_{A22}_{h40}
sonar squ_{h40}
sonar-project sqp_{h40}
octopus API-{U26}
infracost ico-{A32}
prefect pnu_{a36}
postman PMAK-{h24}-{h34}
readme rdme_{a70}
aws-id AKIA{T16}
aws-session-id ASIA{T16}
aws-bedrock ABSK{b128}=
digitalocean dop_v1_{h64}
digitalocean-oauth doo_v1_{h64}
alibaba LTAI{A20}
tencent AKID{A32}
yandex AQVN{w36}
scaleway SCW{U17}
heroku HRKU-AA{w58}
fly fo1_{w43}
render rnd_{A32}
netlify nfp_{A36}
cloudflare-origin v1.0-{h24}-{h146}
supabase sbp_{h40}
supabase-secret sb_secret_{A22}_{A8}
planetscale pscale_tkn_{w43}
neon napi_{a64}
databricks dapi{h32}
clickhouse 4b1d{A38}
pulumi pul-{h40}
tailscale tskey-auth-{A12}CNTRL-{A32}
openshift sha256~{w43}
onepassword ops_eyJ{b250}
age AGE-SECRET-KEY-1QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7LQPZRY9X8GF2TVDW0S3JN54KHCE
doppler dp.pt.{A43}
vault hvs.{w90}
vault-batch hvb.{w150}
terraform {A14}.atlasv1.{w67}
azure-client {A3}8Q~{A34}
azure-devops {A76}AZDO{A4}
slack-bot xoxb-{d12}-{d12}-{A24}
slack-user xoxp-{d12}-{d12}-{d12}-{h32}
slack-app xapp-1-A{U10}-{d13}-{h64}
slack-hook https://hooks.slack.com/services/T{U8}/B{U10}/{A24}
discord-bot M{A23}.{A6}.{w38}
discord-hook https://discord.com/api/webhooks/{d18}/{w68}
teams-hook https://acme.webhook.office.com/webhookb2/{uuid}@{uuid}/IncomingWebhook/{h32}/{uuid}
telegram {d10}:AA{w33}
twilio SK{h32}
sendgrid SG.{w22}.{w43}
mailgun key-{h32}
mailchimp {h32}-us12
brevo xkeysib-{h64}-{A16}
resend re_{A8}_{A24}
stripe sk_live_{A24}
stripe-long sk_live_51{A97}
stripe-test sk_test_{A24}
stripe-restricted rk_live_{A24}
stripe-hook whsec_{A32}
square sq0atp-{w22}
square-secret sq0csp-{w43}
braintree access_token$production${a16}${h32}
shopify shpat_{h32}
shopify-shared shpss_{h32}
plaid access-production-{uuid}
razorpay rzp_live_{A14}
flutterwave FLWSECK-{h32}-X
duffel duffel_live_{w43}
easypost EZAK{A54}
shippo shippo_live_{h40}
adyen AQE1{A80}
grafana-cloud glc_eyJ{b80}=
grafana-service glsa_{A32}_{h8}
grafana-old eyJrIjoi{A80}
newrelic NRAK-{U27}
newrelic-insert NRII-{w32}
sentry sntryu_{h64}
launchdarkly sdk-{uuid}
posthog phx_{A43}
dynatrace dt0c01.{U24}.{U64}
harness pat.{A22}.{h24}.{A20}
notion ntn_{d11}{A35}
notion-old secret_{A43}
airtable pat{A14}.{h64}
linear lin_api_{A40}
figma figd_{w40}
contentful CFPAT-{w43}
typeform tfp_{w44}
hubspot pat-na1-{uuid}
frameio fio-u-{A64}
mapbox sk.eyJ{A60}.{w22}
facebook EAAC{A150}
twitter AAAAAAAAAAAAAAAAAAAAA{A80}
adobe p8e-{a32}
adafruit aio_{A28}
asana 1/{d16}:{h32}
maxmind {A6}_{A29}_mmk
mws amzn.mws.{uuid}
dropbox sl.{w135}
jwt eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIi{w60}.{w43}
"""

NAMED = """
AWS_SECRET_ACCESS_KEY {b40}
DATADOG_API_KEY {h32}
DD_APP_KEY {h40}
TWILIO_AUTH_TOKEN {h32}
HEROKU_API_KEY {uuid}
CLOUDFLARE_API_KEY {h37}
CLOUDFLARE_API_TOKEN {w40}
ALGOLIA_ADMIN_API_KEY {h32}
PAGERDUTY_TOKEN {w20}
FASTLY_API_TOKEN {w32}
SNYK_TOKEN {uuid}
COHERE_API_KEY {A40}
MISTRAL_API_KEY {A32}
OKTA_API_TOKEN 00{w40}
FACEBOOK_APP_SECRET {h32}
TWITTER_CONSUMER_SECRET {A50}
AZURE_STORAGE_ACCOUNT_KEY {b86}==
DB_PASSWORD {A8}!{A6}
MYSQL_ROOT_PASSWORD {A16}
DJANGO_SECRET_KEY {A50}
JWT_SECRET {A32}
client_secret {A32}
access_token {A40}
api_key {A32}
"""


def made(form: str, random: Random) -> str:
    """A key of this form."""

    def part(found: re.Match[str]) -> str:
        word = found.group(1)
        if word == "uuid":
            return "-".join(_of("h", n, random) for n in (8, 4, 4, 4, 12))
        return _of(word[0], int(word[1:]), random)

    return re.sub(r"\{(\w+)\}", part, form)


def _of(kind: str, size: int, random: Random) -> str:
    # Neither end is a sign, so that frames and joints do not take it for theirs.
    inner = "".join(random.choices(_SETS[kind], k=size))
    return inner if inner[0].isalnum() and inner[-1].isalnum() else _of(kind, size, random)


def forms(table: str) -> list[tuple[str, str]]:
    """Name and form of each line."""
    return [
        (name, form) for name, form in (line.split(" ", 1) for line in table.split("\n") if line)
    ]


def private_key(random: Random, kind: str = "RSA ") -> str:
    """A block as a program writes it."""
    body = b64encode(random.randbytes(600)).decode()
    lines = "\n".join(body[at : at + 64] for at in range(0, len(body), 64))
    return f"-----BEGIN {kind}PRIVATE KEY-----\n{lines}\n-----END {kind}PRIVATE KEY-----"
