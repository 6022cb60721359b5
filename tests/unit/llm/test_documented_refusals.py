"""What vendors document of their refusals, vendor by vendor, beyond what was recorded."""

import pytest

from ouroboros.llm.failures import classify
from tests.cases import every

ROWS = [
    ("openai", 200, '{"type":"response.failed","response":{"error":{"code":"bio_policy","message":"No."}}}', "content_policy"),
    ("openai", 200, '{"error":{"code":"misalignment_policy_violation","message":"No."}}', "content_policy"),
    ("openai", 429, '{"error":{"message":"Your account is not active, please check your billing details on our website.","type":"billing_not_active","param":null,"code":"billing_not_active"}}', "quota"),
    ("openai", 400, '{"error":{"message":"Billing hard limit has been reached","type":"invalid_request_error","code":"billing_hard_limit_reached"}}', "quota"),
    ("together", 403, '{"error":{"message":"`inputs` tokens + `max_new_tokens` must be <= 8193. Given: 9000 `inputs` tokens","type":"invalid_request_error","param":"max_tokens","code":null}}', "context_overflow"),
    ("mistral", 422, '{"object":"error","message":{"detail":[{"type":"missing","loc":["body","messages"],"msg":"Field required"}]},"type":"invalid_request_error","param":null,"code":null}', "invalid_request"),
    ("mistral", 422, '{"object":"error","message":{"detail":[{"type":"value_error","loc":["body"],"msg":"Prompt contains 40000 tokens, too large for model with 32768 maximum context length"}]},"type":"invalid_request_message_order","code":"3051"}', "context_overflow"),
    ("google", 400, '{"error":{"code":400,"message":"API key expired. Please renew the API key.","status":"INVALID_ARGUMENT","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID"}]}}', "auth"),
    ("google", 403, '{"error":{"code":403,"message":"Your API key was reported as leaked. Please use another API key.","status":"PERMISSION_DENIED"}}', "auth"),
    ("moonshot", 429, '{"error":{"message":"The engine is currently overloaded, please try again later","type":"engine_overloaded_error"}}', "overloaded"),
    ("moonshot", 401, '{"error":{"message":"Invalid Authentication","type":"invalid_authentication_error"}}', "auth"),
    ("moonshot", 404, '{"error":{"message":"Not found the model x or Permission denied","type":"resource_not_found_error"}}', "model_not_found"),
    ("moonshot", 400, '{"error":{"message":"thinking is enabled but reasoning_content is missing in assistant tool call message at index 2","type":"invalid_request_error"}}', "stale_reasoning"),
    ("zai", 429, '{"error":{"code":"1113","message":"Insufficient balance or no resource package. Please recharge."}}', "quota"),
    ("zai", 400, '{"error":{"code":"1211","message":"Unknown Model, please check the model code."}}', "model_not_found"),
    ("zai", 400, '{"error":{"code":"1261","message":"Prompt exceeds max length"}}', "context_overflow"),
    ("zai", 400, '{"error":{"code":"1301","message":"System detected potentially unsafe or sensitive content in input or generation."}}', "content_policy"),
    ("zai", 429, '{"error":{"code":"1308","message":"Usage limit reached for 5 hour. Your limit will reset at 2026-11-21 10:00:00"}}', "quota"),
    ("zai", 429, '{"error":{"code":"1302","message":"High concurrency usage of this API, please reduce concurrency or contact customer service to increase limits"}}', "rate_limit"),
    ("zai", 429, '{"error":{"code":"1305","message":"The service may be temporarily overloaded, please try again later"}}', "overloaded"),
    ("qwen", 400, '{"error":{"code":"Arrearage","param":null,"message":"Access denied, please make sure your account is in good standing.","type":"Arrearage"}}', "quota"),
    ("qwen", 400, '{"error":{"code":"invalid_parameter_error","param":null,"message":"<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 129024]","type":"invalid_request_error"}}', "context_overflow"),
    ("qwen", 403, '{"error":{"code":"AllocationQuota.FreeTierOnly","message":"The free tier of the model has been exhausted.","type":"AllocationQuota.FreeTierOnly"}}', "quota"),
    ("minimax", 200, '{"id":"x","choices":null,"base_resp":{"status_code":1008,"status_msg":"insufficient balance"}}', "quota"),
    ("minimax", 200, '{"choices":null,"base_resp":{"status_code":1004,"status_msg":"login fail: Please carry the API secret key in the Authorization field"}}', "auth"),
    ("minimax", 200, '{"choices":null,"base_resp":{"status_code":1002,"status_msg":"rate limit"}}', "rate_limit"),
    ("openrouter", 403, '{"error":{"code":403,"message":"Your chosen model requires moderation and your input was flagged","metadata":{"reasons":["violence"],"flagged_input":"x","provider_name":"OpenAI"}}}', "content_policy"),
    ("xai", 403, '{"code":"The caller does not have permission to execute the specified operation","error":"Content violates usage guidelines. Team: x, API key ID: y, Model: grok, Failed check: SAFETY"}', "content_policy"),
    ("xai", 400, '{"code":"Client specified an invalid argument","error":"Incorrect API key provided: xx. You can obtain an API key from https://console.x.ai."}', "auth"),
    ("cerebras", 429, '{"message":"Requests per minute limit exceeded - too many requests sent.","type":"too_many_requests_error","param":"quota","code":"request_quota_exceeded"}', "rate_limit"),
    ("github", 400, '{"error":{"code":"unknown_model","message":"Unknown model: x","details":"Unknown model: x"}}', "model_not_found"),
    ("github", 413, '{"error":{"code":"tokens_limit_reached","message":"Request body too large for gpt-4o model. Max size: 8000 tokens.","details":"x"}}', "context_overflow"),
    ("nvidia", 402, '{"status":402,"title":"Payment Required","detail":"Account not active"}', "quota"),
    ("nvidia", 404, '{"status":404,"title":"Not Found","detail":"Function id x: Not found for account"}', "model_not_found"),
    ("deepseek", 400, '{"error":{"message":"The `reasoning_content` in the thinking mode must be passed back to the API.","type":"invalid_request_error","param":null,"code":"invalid_request_error"}}', "stale_reasoning"),
    ("deepseek", 402, '{"error":{"message":"Insufficient Balance","type":"unknown_error","param":null,"code":"invalid_request_error"}}', "quota"),
    ("huggingface", 402, '{"error":"You have exceeded your monthly included credits for Inference Providers."}', "quota"),
    ("anthropic", 400, '{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the Anthropic API."}}', "quota"),
    ("anthropic", 402, '{"type":"error","error":{"type":"billing_error","message":"x"}}', "quota"),
    ("anthropic", 400, '{"type":"error","error":{"type":"invalid_request_error","message":"input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000"}}', "context_overflow"),
    ("anthropic", 400, '{"type":"error","error":{"type":"invalid_request_error","message":"You have reached your specified API usage limits. You will regain access on 2026-12-01 at 00:00 UTC."}}', "quota"),
    ("groq", 413, '{"error":{"message":"Request too large for model `x` on tokens per minute (TPM): Limit 6000, Requested 9000","type":"tokens","code":"rate_limit_exceeded"}}', "context_overflow"),
    ("bedrock", 400, '{"message":"The provided model identifier is invalid."}', "model_not_found"),
    ("bedrock", 400, '{"message":"The model returned the following errors: input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000"}', "context_overflow"),
    ("vllm", 400, '{"object":"error","message":"This model\'s maximum context length is 8192 tokens.","type":"BadRequestError","param":null,"code":400}', "context_overflow"),
    ("llamacpp", 503, '{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}', "overloaded"),
    ("ollama", 400, '{"error":"\\"x\\" does not support thinking"}', "invalid_request"),
    ("fireworks", 412, '{"error":{"message":"Account suspended due to spending limit"}}', "invalid_request"),
]  # fmt: skip


@pytest.mark.proves("H11")
@every(("vendor", "status", "body", "kind"), ROWS)
def test_a_refusal_as_documented(vendor: str, status: int, body: str, kind: str) -> None:
    headers = {"x-amzn-errortype": "ValidationException"} if vendor == "bedrock" else {}
    failure = classify(status, headers, body, now=0.0, vendor=vendor)
    assert failure.kind == kind
    assert "no message" not in failure.message
