# The Python of README.md, and the same classifier on the raw columns.
import nystream
import pandas
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

train, test = pandas.read_csv("train.csv"), pandas.read_csv("test.csv")
x, y = train.drop(columns="letter"), train.letter
model = make_pipeline(nystream.Embedding(n_components=300),
                      LogisticRegression(C=100, max_iter=1000))
accuracy = model.fit(x, y).score(test.drop(columns="letter"), test.letter)
print("on features: %.3f" % accuracy)

columns = LogisticRegression(C=100, max_iter=1000).fit(x, y)
print("on columns: %.3f" % columns.score(test.drop(columns="letter"), test.letter))
