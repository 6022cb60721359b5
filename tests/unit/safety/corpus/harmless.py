"""Texts without a secret that look as if they had one."""

from base64 import b64encode
from hashlib import md5, sha1, sha256, sha512
from random import Random

from tests.unit.safety.corpus.keys import made

_NPM = "https://registry.example/{0}/-/{0}-1.2.3." + "tgz"

PLAIN = """
AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE
AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY
OPENAI_API_KEY=your-api-key-here
OPENAI_API_KEY=sk-...
OPENAI_API_KEY=sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
export GITHUB_TOKEN=ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
GITHUB_TOKEN=<your token>
GITHUB_TOKEN=${{ secrets.GITHUB_TOKEN }}
token: ${{ secrets.NPM_TOKEN }}
password: ${DB_PASSWORD}
password = os.environ["DB_PASSWORD"]
password = os.getenv("DB_PASSWORD", "")
const apiKey = process.env.API_KEY;
api_key = config.get("api_key")
api_key: string;
password: str = Field(min_length=8)
def login(username: str, password: str) -> Token:
secret = get_secret_value(name)
secret_name = "prod/billing/database"
secretKeyRef: {name: billing, key: password}
token_type = "bearer_token_type_hint"
max_tokens=128000
"max_tokens": 4096, "prompt_tokens": 123456
tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
PASSWORD_MIN_LENGTH = 12
password_reset_url = "https://acme.io/reset-password"
<input type="password" name="password" placeholder="Password" autocomplete="current-password">
<label for="password">Enter your password</label>
The password must have at least 8 characters, one digit and one sign.
Authorization: Bearer <token>
Authorization: Bearer $TOKEN
curl -H "Authorization: Bearer $ACCESS_TOKEN" https://api.acme.io
curl -u "$USER:$PASSWORD" https://acme.io
postgres://user:password@localhost:5432/db
postgres://postgres:postgres@localhost/test
mysql://root:${MYSQL_PASSWORD}@db/app
redis://localhost:6379/0
https://user:pass@example.com
mongodb://<username>:<password>@cluster0.mongodb.net
DATABASE_URL=postgresql://USER:PASSWORD@HOST:PORT/DATABASE
primary_key=True
sort_key = "created_at_timestamp_desc"
cache_key = f"user:{user_id}:profile:v2"
key = "settings.notifications.email.enabled"
partition_key: customer_region_2024
public_key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl"
NEXT_PUBLIC_STRIPE_PUBLISHABLE_KEY=pk_live_51H8xKJLkdIwHu7ixZ3mVbN
key_id: 4AEE18F83AFDEB23
gpg --recv-keys 4AEE18F83AFDEB23A1B2C3D4E5F60718293A4B5C
nextPageToken: CAUQAA
"next_token": "eyJsYXN0IjoxMjM0NX0"
csrf_token = generate_csrf_token(session)
access_token_expires_in = 3600
token = parser.next_token()
auth = authenticate(request)
author = "Ada Lovelace <ada@acme.io>"
authorization_endpoint: https://auth.acme.io/oauth2/authorize
keyboard = "us-international-dvorak"
monkey_patch = "gevent.monkey.patch_all"
passenger = "Frank Underwood 12B"
compass_heading=128.4551
bypass_cache=true1234
--token-file /run/secrets/token
--password-stdin
password: "********"
password=[REDACTED]
secret: null
api_key: ""
api_key = "REPLACE_ME_WITH_A_KEY"
api_key: changeme
api-key: dummy-key-for-tests
X-Api-Key: {{api_key}}
JWT_SECRET=change-me-please
token="test-token"
token = "abc"
"password": "password123"
Use a strong password, e.g. correct horse battery staple.
the disk-usage-of-this-folder-is-large
task-oriented-programming-in-large-projects
sk-learn-compatible-estimator-interface
skeleton_loader_with_placeholder_rows
hf_transfer is a download helper
eyJ is how JSON objects begin in base64
-----BEGIN CERTIFICATE-----
-----BEGIN PUBLIC KEY-----
The file starts with -----BEGIN PRIVATE KEY----- and ends with the matching line.
if (event.key === "ArrowDown" && tokens.length > 12345678) return;
const tokenPattern = /^[A-Za-z0-9_-]{20,}$/;
regex = "ghp_[A-Za-z0-9]{36}"
xoxb- is what a bot token of Slack begins with
AKIA and ASIA are beginnings of key ids
secretsmanager:GetSecretValue
arn:aws:secretsmanager:eu-west-1:123456789012:secret:billing-a1b2c3
vault kv get secret/billing/database
bcrypt: $2b$12$KIXQ0aG8n9m3y0qvC5xV4uJ1y2zFhQ7o6uYt0V8bG3nR5pS7wD9eC
password_hash = "$argon2id$v=19$m=65536,t=3,p=4$c29tZXNhbHQ$RdescudvJCsgt3ub+b4dWRWJTmaaJObG"
"""


def negatives(seed: int = 2) -> list[tuple[str, str]]:
    """What each is, and the text."""
    random = Random(seed)
    found = [("plain", line) for line in PLAIN.split("\n") if line]
    for _ in range(8):
        noise = random.randbytes(48)
        package = made("{l6}", random).lower()
        long = b64encode(random.randbytes(400)).decode()
        uuid = made("{uuid}", random)
        found += [
            ("md5", f"{md5(noise).hexdigest()}  archive.tar.gz"),
            ("sha1", f"commit {sha1(noise).hexdigest()}"),
            ("sha1 short", f"{sha1(noise).hexdigest()[:12]} Mend the build"),
            ("sha256", f"sha256:{sha256(noise).hexdigest()}"),
            ("sha512", f"sha512-{b64encode(sha512(noise).digest()).decode()}"),
            ("npm lock", f'"integrity": "sha512-{b64encode(sha512(noise).digest()).decode()}",'),
            ("npm lock", f'"resolved": "{_NPM.format(package)}#{sha1(noise).hexdigest()}"'),
            ("cargo lock", f'checksum = "{sha256(noise).hexdigest()}"'),
            ("go sum", f"github.com/acme/{package} v1.2.3 h1:{b64encode(sha256(noise).digest()).decode()}"),
            ("pip hash", f"    --hash=sha256:{sha256(noise).hexdigest()} \\"),
            ("poetry lock", f'{{file = "{package}-1.0.tar.gz", hash = "sha256:{sha256(noise).hexdigest()}"}},'),
            ("SRI", f'<script src="/a.js" integrity="sha384-{b64encode(noise).decode()}" crossorigin></script>'),
            ("uuid", f'"id": "{uuid}", "name": "{package}"'),
            ("uuid", f"request_id={uuid} session_id={uuid} ok"),
            ("trace", f"traceparent: 00-{noise[:16].hex()}-{noise[:8].hex()}-01"),
            ("etag", f'ETag: "{noise[:16].hex()}"'),
            ("image", f"background: url(data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAA{long}==)"),
            ("certificate", f"-----BEGIN CERTIFICATE-----\nMIID{long[:200]}\n-----END CERTIFICATE-----"),
            ("public key", f"-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A{long[:180]}\n-----END PUBLIC KEY-----"),
            ("public key", f'"public_key": "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A{long[:180]}"'),
            ("public key", f"ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQ{long[:200]} ada@acme"),
            ("known host", f"acme.io ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{long[:43]}"),
            ("fingerprint", f"SHA256:{b64encode(sha256(noise).digest()).decode().rstrip('=')} (ED25519)"),
            ("fingerprint", ":".join(f"{byte:02x}" for byte in noise[:20])),
            ("docker image", f"image: acme/{package}@sha256:{sha256(noise).hexdigest()}"),
            ("git index", f"index {sha1(noise).hexdigest()[:9]}..{sha1(noise + b'1').hexdigest()[:9]} 100644"),
            ("nix", f"/nix/store/{made('{a32}', random)}-{package}-1.2"),
            ("minified", f"!function(e,t){{var n=e.token||t.key;return n.password=t.pass,n.{package}=function(r){{return r?e:t}}}}(a,b);"),
            ("source map", f"//# sourceMappingURL=data:application/json;base64,eyJ2ZXJzaW9uIjozLCJzb3VyY2VzIjpb{long[:300]}"),
            ("fernet", f"gAAAAABo{long[:120].replace('/', '_').replace('+', '-')}"),
            ("object id", f"ObjectId('{noise[:12].hex()}')"),
            ("bundle", f"/assets/index-{made('{A8}', random)}.js"),
            ("svg", f'<path d="M{random.randint(1, 99)} 3.14L12.5 {random.randint(1, 99)}z"/>'),
            ("cache key", f"key: linux-{package}-{sha256(noise).hexdigest()}"),
            ("analytics", f"Cookie: _ga=GA1.2.{random.randint(10**8, 10**9)}.{random.randint(10**9, 2 * 10**9)}"),
            ("digest", f'Digest: SHA-256={b64encode(sha256(noise).digest()).decode()}'),
            ("phone", f"call +49 30 {random.randint(10**6, 10**7)}"),
            ("timestamp", f"token_issued_at={random.randint(10**9, 2 * 10**9)}"),
            ("identifier", f"tests/unit/test_{package}.py::test_password_of_{package}_2_is_kept PASSED"),
            ("signature", f"Signature: keyId=\"acme\",algorithm=\"rsa-sha256\",signature=\"{long[:88]}\""),
        ]  # fmt: skip
    return found
